//! Communication between ranks: [`Exchange`].

use crate::settings::Error;

/// A message to or from another rank.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message {
    /// The other rank.
    pub rank: usize,
    /// Its content.
    pub words: Vec<u64>,
}

/// Communication between ranks; see the [module](super) for the contract.
///
/// Only [`rank`](Self::rank), [`size`](Self::size) and [`transfer`](Self::transfer) must be implemented; the others are
/// made of transfers along a binary tree of the ranks, so that sums have the same bits over every kind of transport.
pub trait Exchange {
    /// Number of this rank, below [`size`](Self::size).
    fn rank(&self) -> usize;

    /// Number of ranks.
    fn size(&self) -> usize;

    /// Sends each message of `outgoing` to its rank, and replaces each of `incoming` by the one from its rank, which has as
    /// many words. Calls `meanwhile` once, while the messages are on their way.
    ///
    /// # Errors
    ///
    /// [`Error::Unreachable`] if a rank no longer responds.
    fn transfer(
        &mut self,
        outgoing: &[Message],
        incoming: &mut [Message],
        meanwhile: &mut dyn FnMut(),
    ) -> Result<(), Error>;

    /// Replaces each word by the largest one of all ranks.
    ///
    /// # Errors
    ///
    /// Those of [`transfer`](Self::transfer), here and below.
    fn largest(&mut self, words: &mut [u64]) -> Result<(), Error> {
        reduce(self, words, |mine, theirs| *mine = theirs.max(*mine))
    }

    /// Replaces each value by its sum over all ranks, in an order that depends on their number alone.
    ///
    /// # Errors
    ///
    /// Those of [`transfer`](Self::transfer).
    fn sum(&mut self, values: &mut [f64]) -> Result<(), Error> {
        let mut words: Vec<u64> = values.iter().map(|value| value.to_bits()).collect();
        let add = |mine: &mut u64, theirs: u64| {
            *mine = (f64::from_bits(*mine) + f64::from_bits(theirs)).to_bits();
        };
        reduce(self, &mut words, add)?;
        values.iter_mut().zip(words).for_each(|(value, word)| *value = f64::from_bits(word));
        Ok(())
    }

    /// Returns the messages of all ranks in their order on rank 0, and nothing on the others.
    ///
    /// # Errors
    ///
    /// Those of [`transfer`](Self::transfer).
    fn gather(&mut self, words: Vec<u64>) -> Result<Vec<Vec<u64>>, Error> {
        let to = |words: Vec<u64>| [Message { rank: 0, words }];
        if self.rank() > 0 {
            self.transfer(&to(vec![words.len() as u64]), &mut [], &mut || ())?;
            self.transfer(&to(words), &mut [], &mut || ())?;
            return Ok(Vec::new());
        }
        let mut others: Vec<Message> =
            (1..self.size()).map(|rank| Message { rank, words: vec![0] }).collect();
        self.transfer(&[], &mut others, &mut || ())?;
        others.iter_mut().for_each(|message| message.words = vec![0; length(message.words[0])]);
        self.transfer(&[], &mut others, &mut || ())?;
        Ok(std::iter::once(words).chain(others.into_iter().map(|message| message.words)).collect())
    }

    /// Replaces `words` by those of rank 0.
    ///
    /// # Errors
    ///
    /// Those of [`transfer`](Self::transfer).
    fn broadcast(&mut self, words: &mut Vec<u64>) -> Result<(), Error> {
        let mut count = [words.len() as u64];
        spread(self, &mut count)?;
        words.resize(length(count[0]), 0);
        spread(self, words)
    }
}

/// A length that was sent by another rank of the same program.
fn length(word: u64) -> usize {
    usize::try_from(word).unwrap_or(usize::MAX)
}

/// Combines the words of all ranks along a binary tree, and spreads the result.
fn reduce<E: Exchange + ?Sized>(
    exchange: &mut E,
    words: &mut [u64],
    combine: impl Fn(&mut u64, u64),
) -> Result<(), Error> {
    let (rank, size) = (exchange.rank(), exchange.size());
    let mut distance = 1;
    while distance < size {
        if rank & distance != 0 {
            let message = Message { rank: rank - distance, words: words.to_vec() };
            exchange.transfer(&[message], &mut [], &mut || ())?;
            break;
        }
        if rank + distance < size {
            let mut incoming = [Message { rank: rank + distance, words: vec![0; words.len()] }];
            exchange.transfer(&[], &mut incoming, &mut || ())?;
            words.iter_mut().zip(&incoming[0].words).for_each(|(mine, word)| combine(mine, *word));
        }
        distance *= 2;
    }
    spread(exchange, words)
}

/// Replaces the words by those of rank 0 along the same tree; all ranks have the same number of them.
fn spread<E: Exchange + ?Sized>(exchange: &mut E, words: &mut [u64]) -> Result<(), Error> {
    let (rank, size) = (exchange.rank(), exchange.size());
    let mut distance = size.next_power_of_two() / 2;
    while distance > 0 {
        if rank.is_multiple_of(2 * distance) && rank + distance < size {
            let message = Message { rank: rank + distance, words: words.to_vec() };
            exchange.transfer(&[message], &mut [], &mut || ())?;
        } else if rank % (2 * distance) == distance {
            let mut incoming = [Message { rank: rank - distance, words: vec![0; words.len()] }];
            exchange.transfer(&[], &mut incoming, &mut || ())?;
            words.copy_from_slice(&incoming[0].words);
        }
        distance /= 2;
    }
    Ok(())
}

/// A word that is the larger the larger the value is; the largest of all for NaN.
pub(super) fn ordered(value: f64) -> u64 {
    const SIGN: u64 = 1 << 63;
    let bits = value.to_bits();
    if value.is_nan() {
        u64::MAX
    } else if bits & SIGN == 0 {
        bits | SIGN
    } else {
        !bits
    }
}

/// The inverse of [`ordered`].
pub(super) fn value(word: u64) -> f64 {
    const SIGN: u64 = 1 << 63;
    f64::from_bits(if word & SIGN == 0 { !word } else { word ^ SIGN })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decomposition::{InProcess, in_process};

    /// Runs `work` on each of `count` ranks, and returns the results in the order of the ranks.
    fn on_ranks<T: Send>(count: usize, work: impl Fn(InProcess) -> T + Sync) -> Vec<T> {
        std::thread::scope(|scope| {
            let work = &work;
            let all: Vec<_> =
                in_process(count).into_iter().map(|rank| scope.spawn(move || work(rank))).collect();
            all.into_iter().map(|thread| thread.join().unwrap()).collect()
        })
    }

    #[test]
    fn all_ranks_get_sums_maxima_and_what_rank_0_has() {
        for count in 1..=9 {
            let results = on_ranks(count, |mut exchange| {
                let rank = exchange.rank();
                let mut values = [rank as f64, 1.0];
                exchange.sum(&mut values).unwrap();
                let mut words = [rank as u64, ordered(-(rank as f64))];
                exchange.largest(&mut words).unwrap();
                let all = exchange.gather(vec![rank as u64; rank]).unwrap();
                let mut text = if rank == 0 { vec![7, 8, 9] } else { vec![1] };
                exchange.broadcast(&mut text).unwrap();
                (values, [words[0] as f64, value(words[1])], all, text)
            });
            let last = (count - 1) as f64;
            for (rank, (sums, largest, all, text)) in results.into_iter().enumerate() {
                let expected = [0.5 * last * (last + 1.0), count as f64];
                assert!(sums.iter().eq(&expected), "{sums:?}");
                assert_eq!((largest[0], largest[1]), (last, -0.0));
                assert_eq!(text, [7, 8, 9]);
                let expected = (0..count).map(|rank| vec![rank as u64; rank]);
                assert_eq!(all, if rank == 0 { expected.collect() } else { Vec::new() });
            }
        }
    }

    #[test]
    fn words_are_in_the_order_of_values() {
        let values = [f64::NEG_INFINITY, -2.0, -0.0, 0.0, 1e-300, 3.0, f64::INFINITY];
        assert!(values.windows(2).all(|pair| ordered(pair[0]) < ordered(pair[1])));
        assert!(values.iter().all(|&v| value(ordered(v)).to_bits() == v.to_bits()));
        assert!(ordered(f64::NAN) > ordered(f64::INFINITY) && value(ordered(f64::NAN)).is_nan());
    }
}

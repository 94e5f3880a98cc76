//! Messages over MPI: [`Mpi`].

use std::{
    fmt,
    time::{Duration, Instant},
};

use mpi::{
    collective::SystemOperation,
    request::{self, RequestCollection},
    topology::SimpleCommunicator,
    traits::{Communicator, CommunicatorCollectives, Destination, Source},
};
use percussion_granular::{
    Error,
    decomposition::{Exchange, Message},
};

/// Looks for messages before the processor is offered to other processes.
const TRIALS: u32 = 1000;

/// The ranks of a communicator.
///
/// Messages are sent and received without blocking; the largest of all words is found by a reduction of MPI. A message that
/// does not arrive within the patience ends all ranks: the requests that are open then cannot be given up in any other way.
pub struct Mpi {
    world: SimpleCommunicator,
    rank: i32,
    patience: Duration,
}

impl fmt::Debug for Mpi {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Mpi").field("rank", &self.rank).finish_non_exhaustive()
    }
}

impl Mpi {
    /// All ranks that were started together; after `patience` without an answer a rank counts as unreachable.
    #[must_use]
    pub fn new(world: SimpleCommunicator, patience: Duration) -> Self {
        let rank = world.rank();
        Self { world, rank, patience }
    }

    /// Waits until all of `count` requests are completed; `whose` answers they need is said if they are not.
    fn complete(
        &self,
        requests: &mut RequestCollection<'_, [u64]>,
        count: usize,
        whose: impl Fn() -> String,
    ) {
        let (start, mut done) = (Instant::now(), Vec::with_capacity(count));
        let mut trials = 0_u32;
        while !requests.test_all(&mut done) {
            trials += 1;
            if trials.is_multiple_of(TRIALS) {
                std::thread::yield_now();
                if start.elapsed() > self.patience {
                    self.give_up(&whose());
                }
            }
        }
    }

    /// Ends all ranks.
    fn give_up(&self, whose: &str) -> ! {
        eprintln!(
            "error: rank {}: no answer {whose} within {} s; all ranks end, and `--resume` continues from the last checkpoint",
            self.rank,
            self.patience.as_secs_f64()
        );
        self.world.abort(1)
    }
}

impl Exchange for Mpi {
    fn rank(&self) -> usize {
        usize::try_from(self.rank).unwrap_or_default()
    }

    fn size(&self) -> usize {
        usize::try_from(self.world.size()).unwrap_or(1)
    }

    fn transfer(
        &mut self,
        outgoing: &[Message],
        incoming: &mut [Message],
        meanwhile: &mut dyn FnMut(),
    ) -> Result<(), Error> {
        let peers: Vec<usize> = incoming
            .iter()
            .map(|message| message.rank)
            .chain(outgoing.iter().map(|m| m.rank))
            .collect();
        let number = |rank: usize| i32::try_from(rank).map_err(|_| Error::Unreachable { rank });
        for rank in &peers {
            number(*rank)?;
        }
        request::multiple_scope(peers.len(), |scope, requests| {
            for Message { rank, words } in incoming {
                let from = self.world.process_at_rank(number(*rank).unwrap_or_default());
                requests.add(from.immediate_receive_into(scope, &mut words[..]));
            }
            for Message { rank, words } in outgoing {
                let to = self.world.process_at_rank(number(*rank).unwrap_or_default());
                requests.add(to.immediate_send(scope, &words[..]));
            }
            meanwhile();
            self.complete(requests, peers.len(), || {
                let list: Vec<String> = peers.iter().map(ToString::to_string).collect();
                format!("of the ranks {}", list.join(", "))
            });
        });
        Ok(())
    }

    fn largest(&mut self, words: &mut [u64]) -> Result<(), Error> {
        let mine = words.to_vec();
        request::multiple_scope(1, |scope, requests| {
            let max = SystemOperation::max();
            requests.add(self.world.immediate_all_reduce_into(
                scope,
                &mine[..],
                &mut words[..],
                max,
            ));
            self.complete(requests, 1, || "of some rank".to_owned());
        });
        Ok(())
    }
}

//! Ranks that are threads of one process: [`in_process`].

use std::sync::mpsc::{Receiver, Sender, channel};

use super::{Exchange, Message};
use crate::settings::Error;

/// One of several ranks in one process, connected by channels.
#[derive(Debug)]
pub struct InProcess {
    rank: usize,
    senders: Vec<Sender<Vec<u64>>>,
    receivers: Vec<Receiver<Vec<u64>>>,
}

/// Creates `count` ranks, each for its own thread.
#[must_use]
pub fn in_process(count: usize) -> Vec<InProcess> {
    let (mut senders, mut receivers) = (Vec::new(), Vec::new());
    receivers.resize_with(count, Vec::new);
    for _ in 0..count {
        let (to, from): (Vec<_>, Vec<_>) = (0..count).map(|_| channel()).unzip();
        senders.push(to);
        // Messages to each rank, in the order of the senders.
        receivers.iter_mut().zip(from).for_each(|(receivers, receiver)| receivers.push(receiver));
    }
    let both = senders.into_iter().zip(receivers).enumerate();
    both.map(|(rank, (senders, receivers))| InProcess { rank, senders, receivers }).collect()
}

impl Exchange for InProcess {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.senders.len()
    }

    fn transfer(
        &mut self,
        outgoing: &[Message],
        incoming: &mut [Message],
        meanwhile: &mut dyn FnMut(),
    ) -> Result<(), Error> {
        for Message { rank, words } in outgoing {
            let sent = self.senders[*rank].send(words.clone());
            sent.map_err(|_| Error::Unreachable { rank: *rank })?;
        }
        meanwhile();
        for Message { rank, words } in incoming {
            let expected = words.len();
            let received = self.receivers[*rank].recv();
            *words = received.map_err(|_| Error::Unreachable { rank: *rank })?;
            debug_assert_eq!(words.len(), expected, "both ranks know the length");
        }
        Ok(())
    }
}

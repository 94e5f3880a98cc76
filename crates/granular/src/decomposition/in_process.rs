//! Ranks that are threads of one process: [`in_process`].

use std::sync::mpsc::{Receiver, Sender, channel};

use super::Exchange;
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

    fn exchange(&mut self, outgoing: &[Vec<u64>], incoming: &mut [Vec<u64>]) -> Result<(), Error> {
        let unreachable = |rank: usize| Error::Unreachable { rank };
        for (rank, (sender, message)) in self.senders.iter().zip(outgoing).enumerate() {
            if rank != self.rank {
                sender.send(message.clone()).map_err(|_| unreachable(rank))?;
            }
        }
        for (rank, (receiver, message)) in self.receivers.iter().zip(incoming).enumerate() {
            if rank != self.rank {
                *message = receiver.recv().map_err(|_| unreachable(rank))?;
            }
        }
        Ok(())
    }
}

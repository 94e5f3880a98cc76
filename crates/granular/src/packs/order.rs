//! The pack of each contact, so that packs in turn give what contacts in turn give: [`Order`].
//!
//! Contacts without a common body can be exchanged, so only the order of the contacts of each body matters. Each contact
//! enters the first pack with room after those that contain its two bodies.

use super::lanes::LANES;

/// How far packs are filled.
#[derive(Clone, Debug, Default)]
pub(crate) struct Order {
    /// Number of contacts of each pack.
    filled: Vec<u8>,
    /// Of each pack itself if it has room, or a later pack, before which there is none with room.
    vacant: Vec<u32>,
    /// The first pack behind those with contacts of each body.
    behind: Vec<u32>,
    /// Number of packs that are closed.
    closed: u32,
}

impl Order {
    /// Number of contacts.
    pub(crate) fn len(&self) -> usize {
        self.filled.iter().copied().map(usize::from).sum()
    }

    /// Number of contacts of each pack.
    pub(crate) fn filled(&self) -> &[u8] {
        &self.filled
    }

    /// Deletes all packs.
    pub(crate) fn clear(&mut self) {
        self.filled.clear();
        self.vacant.clear();
        self.behind.clear();
        self.closed = 0;
    }

    /// Lets no contact from here on enter a pack that exists.
    #[cfg(feature = "bodies")]
    pub(crate) fn close(&mut self) {
        self.closed = u32::try_from(self.filled.len()).unwrap_or(u32::MAX);
    }

    /// Allocates for so many packs.
    pub(crate) fn reserve(&mut self, count: usize) {
        self.filled.reserve(count);
        self.vacant.reserve(count);
    }

    /// The pack of the next contact and its lane there. Of a contact with a wall the one body is given twice.
    #[inline]
    pub(crate) fn enter(&mut self, bodies: [u32; 2]) -> [usize; 2] {
        let [a, b] = bodies.map(|body| body as usize);
        let count = a.max(b) + 1;
        if self.behind.len() < count {
            self.behind.resize(count, 0);
        }
        let number = self.first_vacant(self.behind[a].max(self.behind[b]).max(self.closed));
        let at = number as usize;
        if at == self.filled.len() {
            self.filled.push(0);
            self.vacant.push(number);
        }
        let lane = usize::from(self.filled[at]);
        self.filled[at] += 1;
        if lane + 1 == LANES {
            self.vacant[at] = number + 1;
        }
        (self.behind[a], self.behind[b]) = (number + 1, number + 1);
        [at, lane]
    }

    /// The first pack with room from `number` on, or a new one.
    fn first_vacant(&mut self, number: u32) -> u32 {
        let mut found = number;
        while let Some(&next) = self.vacant.get(found as usize)
            && next != found
        {
            found = next;
        }
        // Shortens the way for the next search.
        let mut at = number;
        while let Some(next) = self.vacant.get_mut(at as usize)
            && *next != found
        {
            at = std::mem::replace(next, found);
        }
        found
    }
}

#[cfg(all(test, feature = "bodies"))]
mod tests {
    use super::*;

    #[test]
    fn no_contact_enters_a_pack_that_was_closed() {
        let mut order = Order::default();
        assert_eq!([order.enter([0, 1]), order.enter([2, 3])], [[0, 0], [0, 1]]);
        order.close();
        assert_eq!([order.enter([4, 5]), order.enter([0, 6])], [[1, 0], [1, 1]]);
        order.clear();
        assert_eq!(order.enter([4, 5]), [0, 0]);
    }
}

//! How often contacts separate, slide and stick.

use std::{collections::BTreeMap, f64::consts::TAU, fmt};

use crate::{
    Problem,
    set_valued::{Sample, Summary},
};

/// Motion of a contact after the impact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ContactMode {
    /// It separates.
    Separate,
    /// It stays and does not slide; without tangents it only stays.
    Stick,
    /// It stays and slides forward along its one tangent.
    SlideForward,
    /// It stays and slides backward along its one tangent.
    SlideBackward,
    /// It stays and slides in one of eight sectors of 45° between two tangents: sector `j` around
    /// `cos(jπ/4) t + sin(jπ/4) o`.
    SlideSector(u8),
}

impl fmt::Display for ContactMode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Separate => write!(formatter, "separate"),
            Self::Stick => write!(formatter, "stick"),
            Self::SlideForward => write!(formatter, "slide +"),
            Self::SlideBackward => write!(formatter, "slide −"),
            Self::SlideSector(sector) => write!(formatter, "slide {}°", 45 * u32::from(*sector)),
        }
    }
}

/// A mode of all contacts together, with its frequency.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct JointMode {
    /// Mode of each contact.
    pub contacts: Vec<ContactMode>,
    /// Number of samples.
    pub count: u64,
    /// Index of the first of them.
    pub first: u64,
}

/// How often each contact separates, slides and sticks, alone and together with the others.
///
/// A contact velocity counts as zero when it is at most [`threshold`](Self::threshold). After
/// [`LIMIT`](Self::LIMIT) different joint modes, new ones are counted as [`unlisted`](Self::unlisted).
#[derive(Clone, Debug, PartialEq)]
pub struct Modes {
    /// First row and number of tangents of each contact.
    rows: Vec<(usize, usize)>,
    threshold: f64,
    joint: BTreeMap<Vec<ContactMode>, (u64, u64)>,
    unlisted: u64,
    scratch: Vec<ContactMode>,
}

impl Modes {
    /// Maximum number of distinct joint modes.
    pub const LIMIT: usize = 1 << 16;

    /// Empty modes, with a threshold of `1e-6` of the fastest contact velocity before the impact: well above
    /// the rounding and the tolerance of a sample (`1e-9`), well below sliding velocities.
    #[must_use]
    pub fn new(problem: &Problem) -> Self {
        Self::with_threshold(problem, 1e-6 * problem.free_contact_velocity().amax())
    }

    /// Empty modes, with a threshold in m/s (≥ 0).
    #[must_use]
    pub fn with_threshold(problem: &Problem, threshold: f64) -> Self {
        let contacts = problem.contacts().iter().enumerate();
        let rows = contacts.map(|(k, contact)| (problem.rows(k).start, contact.tangents.len()));
        Self {
            rows: rows.collect(),
            threshold,
            joint: BTreeMap::new(),
            unlisted: 0,
            scratch: Vec::new(),
        }
    }

    /// Contact velocity that counts as zero (m/s).
    #[must_use]
    pub const fn threshold(&self) -> f64 {
        self.threshold
    }

    /// Number of samples.
    #[must_use]
    pub fn samples(&self) -> u64 {
        self.joint.values().map(|(count, _)| count).sum::<u64>() + self.unlisted
    }

    /// Number of samples whose joint mode is not in the list.
    #[must_use]
    pub const fn unlisted(&self) -> u64 {
        self.unlisted
    }

    /// The joint modes, by decreasing frequency, then by the sample that was seen first.
    #[must_use]
    pub fn joint(&self) -> Vec<JointMode> {
        let modes = self.joint.iter();
        let mut modes: Vec<_> = modes
            .map(|(contacts, &(count, first))| JointMode {
                contacts: contacts.clone(),
                count,
                first,
            })
            .collect();
        modes.sort_by_key(|mode| (std::cmp::Reverse(mode.count), mode.first));
        modes
    }

    /// The modes of contact `index` with their numbers, in the order of [`ContactMode`], without those
    /// of unlisted samples. Empty when there is no such contact.
    #[must_use]
    pub fn contact(&self, index: usize) -> Vec<(ContactMode, u64)> {
        let mut modes = BTreeMap::new();
        for (contacts, (count, _)) in &self.joint {
            if let Some(mode) = contacts.get(index) {
                *modes.entry(*mode).or_insert(0) += count;
            }
        }
        modes.into_iter().collect()
    }

    fn count(&mut self, mode: &[ContactMode], count: u64, first: u64) {
        if let Some(entry) = self.joint.get_mut(mode) {
            entry.0 += count;
        } else if self.joint.len() < Self::LIMIT {
            self.joint.insert(mode.to_vec(), (count, first));
        } else {
            self.unlisted += count;
        }
    }
}

impl Summary for Modes {
    fn record(&mut self, sample: &Sample<'_>) {
        let mut mode = std::mem::take(&mut self.scratch);
        mode.clear();
        mode.extend(self.rows.iter().map(|&(row, tangents)| {
            let velocity = &sample.contact_velocity.as_slice()[row..=row + tangents];
            classify(velocity, self.threshold)
        }));
        self.count(&mode, 1, sample.index);
        self.scratch = mode;
    }

    fn merge(&mut self, later: Self) {
        self.unlisted += later.unlisted;
        // In the order of first occurrence, so that a full list holds the same modes in both cases.
        let mut modes: Vec<_> = later.joint.into_iter().collect();
        modes.sort_by_key(|&(_, (_, first))| first);
        for (mode, (count, first)) in modes {
            self.count(&mode, count, first);
        }
    }
}

/// The mode of one contact by its velocity: normal, then tangents.
fn classify(velocity: &[f64], threshold: f64) -> ContactMode {
    if velocity[0] > threshold {
        return ContactMode::Separate;
    }
    match *velocity {
        [_, along] if along > threshold => ContactMode::SlideForward,
        [_, along] if along < -threshold => ContactMode::SlideBackward,
        [_, along, across] if along.hypot(across) > threshold => {
            let angle = across.atan2(along).rem_euclid(TAU);
            (0..8_u8)
                .find(|&j| angle < TAU * (f64::from(j) + 0.5) / 8.0)
                .map_or(ContactMode::SlideSector(0), ContactMode::SlideSector)
        }
        _ => ContactMode::Stick,
    }
}

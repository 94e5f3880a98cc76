//! What a run that is resumed takes over from the former one.

use super::Measures;
use crate::{Error, rules};

impl Measures {
    /// The sums of this rank. A checkpoint stores them for [`resume`](Self::resume).
    #[must_use]
    pub fn sums(&mut self) -> Vec<f64> {
        self.numbers().into_iter().flatten().map(|number| *number).collect()
    }

    /// Goes on from what the ranks of the former run had added up. With as many ranks as before each takes its own, so that
    /// all that is measured has the bits of a run that was never interrupted; otherwise the first rank takes all.
    ///
    /// # Errors
    ///
    /// [`Error::Count`] for sums of another number of cells, bins, walls or planes.
    pub fn resume(&mut self, former: &[Vec<f64>], [rank, ranks]: [usize; 2]) -> Result<(), Error> {
        let [common, own] = self.numbers();
        let count = common.len() + own.len();
        let found = former.iter().map(Vec::len).find(|found| *found != count);
        let found = if former.is_empty() { Some(0) } else { found };
        rules::count("sums", found.unwrap_or(count), found.is_none(), &count.to_string())?;
        let first = common.len();
        for (place, number) in common.into_iter().enumerate() {
            *number = former[0][place];
        }
        for (place, number) in (first..).zip(own) {
            *number = match rank {
                rank if former.len() == ranks => former[rank][place],
                0 => former.iter().map(|sums| sums[place]).sum(),
                _ => 0.0,
            };
        }
        Ok(())
    }

    /// The numbers that are the same on all ranks, and those that each rank adds up by itself.
    fn numbers(&mut self) -> [Vec<&mut f64>; 2] {
        let Self { flows, passed_before, sums, cells, radial, classes, .. } = self;
        let mut common = vec![&mut sums.samples, &mut sums.coordination, &mut sums.force];
        common.extend(sums.fabric.iter_mut().chain(&mut sums.stress));
        common.extend(sums.walls.iter_mut().flat_map(|force| force.iter_mut()));
        common.push(&mut sums.start);
        common.extend(passed_before);
        let mut own: Vec<&mut f64> = classes.iter_mut().chain(&mut sums.passed).collect();
        own.extend(flows.iter_mut().map(|(_, flow)| flow.passed_mut()));
        if let Some(cells) = cells {
            let (times, sums) = cells.sums();
            common.push(times);
            own.extend(sums);
        }
        own.extend(radial.iter_mut().flat_map(|radial| radial.sums()));
        [common, own]
    }
}

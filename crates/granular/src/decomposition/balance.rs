//! Boxes with equal shares of the work: [`balanced`].

use nalgebra::Vector3;

use super::exchange::{Exchange, ordered, value};
use crate::{partition::Partition, settings::Error};

/// Halvings after which a cut is as exact as its interval has bits.
const HALVINGS: usize = 52;

/// Points of this rank, each with its work (an integer ≥ 0, so that sums are exact).
pub(super) type Load = (Vector3<f64>, f64);

/// Divides space so that all boxes have about the same work: along `x`, then each layer along `y`, then each column along
/// `z`, with cuts at the quantiles of the work, found by bisection.
///
/// - **Does not** divide points with the same coordinate: a lattice is cut between its layers.
/// - **Cost**: 52 sums of one number per cut over all ranks for each axis.
/// - **Deterministic**: the cuts depend on the points alone, not on the ranks that hold them.
///
/// # Source
///
/// Nested division as by M. Deveci, S. Rajamanickam, K. D. Devine, Ü. V. Çatalyürek, "Multi-Jagged: a scalable
/// parallel spatial partitioning algorithm", *IEEE Transactions on Parallel and Distributed Systems* 27 (2016) 803–817.
pub(super) fn balanced<E: Exchange>(
    exchange: &mut E,
    counts: [usize; 3],
    loads: &[Load],
) -> Result<Partition, Error> {
    let mut cuts = [Vec::new(), Vec::new(), Vec::new()];
    // The layer or column of each point.
    let mut lists = vec![0_usize; loads.len()];
    let mut list_count = 1;
    for axis in 0..3 {
        let axis_cuts = quantiles(exchange, axis, (list_count, counts[axis]), loads, &lists)?;
        let inner = counts[axis] - 1;
        for (list, (point, _)) in lists.iter_mut().zip(loads) {
            let own = &axis_cuts[*list * inner..(*list + 1) * inner];
            *list = *list * counts[axis] + own.partition_point(|cut| *cut <= point[axis]);
        }
        list_count *= counts[axis];
        cuts[axis] = axis_cuts;
    }
    Partition::nested(counts, cuts)
}

/// The cuts of each of `list_count` lists into `count` parts along an axis.
fn quantiles<E: Exchange>(
    exchange: &mut E,
    axis: usize,
    (list_count, count): (usize, usize),
    loads: &[Load],
    lists: &[usize],
) -> Result<Vec<f64>, Error> {
    let inner = count - 1;
    if inner == 0 {
        return Ok(Vec::new());
    }
    // Coordinates of each list in order, with the work up to each.
    let mut sorted: Vec<(usize, f64, f64)> =
        lists.iter().zip(loads).map(|(&list, (point, work))| (list, point[axis], *work)).collect();
    sorted.sort_unstable_by(|one, other| one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)));
    let ends: Vec<usize> =
        (0..=list_count).map(|list| sorted.partition_point(|entry| entry.0 < list)).collect();
    let mut work = 0.0;
    let before: Vec<f64> = std::iter::once(0.0)
        .chain(sorted.iter().map(|entry| {
            work += entry.2;
            work
        }))
        .collect();
    let below = |list: usize, cut: f64| {
        let own = &sorted[ends[list]..ends[list + 1]];
        let place = ends[list] + own.partition_point(|entry| entry.1 < cut);
        before[place] - before[ends[list]]
    };
    let mut totals: Vec<f64> = (0..list_count).map(|list| below(list, f64::INFINITY)).collect();
    exchange.sum(&mut totals)?;
    let ranges = ranges(exchange, list_count, &sorted)?;
    let mut low: Vec<f64> = (0..list_count * inner).map(|cut| ranges[cut / inner][0]).collect();
    let mut high: Vec<f64> = (0..list_count * inner).map(|cut| ranges[cut / inner][1]).collect();
    // Work below both ends.
    let (mut under_low, mut under_high) = (vec![0.0; low.len()], vec![0.0; low.len()]);
    for (cut, work) in under_high.iter_mut().enumerate() {
        *work = totals[cut / inner];
    }
    let target = |cut: usize| totals[cut / inner] * (cut % inner + 1) as f64 / count as f64;
    for _ in 0..HALVINGS {
        let middle = |cut: usize| low[cut] + 0.5 * (high[cut] - low[cut]);
        let middles: Vec<f64> = (0..low.len()).map(middle).collect();
        let mut works: Vec<f64> =
            middles.iter().enumerate().map(|(cut, at)| below(cut / inner, *at)).collect();
        exchange.sum(&mut works)?;
        for (cut, (at, work)) in middles.into_iter().zip(works).enumerate() {
            if work < target(cut) {
                (low[cut], under_low[cut]) = (at, work);
            } else {
                (high[cut], under_high[cut]) = (at, work);
            }
        }
    }
    let mut cuts: Vec<f64> = (0..low.len())
        .map(|cut| {
            let nearer = target(cut) - under_low[cut] < under_high[cut] - target(cut);
            if nearer { low[cut] } else { high[cut] }
        })
        .collect();
    for cuts in cuts.chunks_mut(inner) {
        for k in 1..cuts.len() {
            cuts[k] = cuts[k].max(cuts[k - 1].next_up());
        }
    }
    Ok(cuts)
}

/// The interval of the coordinates of each list, of all lists where one is empty, `[0, 1]` without points.
fn ranges<E: Exchange>(
    exchange: &mut E,
    list_count: usize,
    sorted: &[(usize, f64, f64)],
) -> Result<Vec<[f64; 2]>, Error> {
    let mut words = vec![ordered(f64::NEG_INFINITY); 2 * list_count];
    for (list, at, _) in sorted {
        words[2 * list] = words[2 * list].max(ordered(-at));
        words[2 * list + 1] = words[2 * list + 1].max(ordered(*at));
    }
    exchange.largest(&mut words)?;
    let range = |words: &[u64]| [-value(words[0]), value(words[1])];
    let all = words.chunks(2).map(range).fold([f64::INFINITY, f64::NEG_INFINITY], |all, one| {
        [all[0].min(one[0]), all[1].max(one[1])]
    });
    let all = if all[0] <= all[1] { all } else { [0.0, 1.0] };
    let filled = |range: [f64; 2]| {
        let [low, high] = if range[0] <= range[1] { range } else { all };
        // Above all coordinates, so that all work is below the upper end.
        [low, high.next_up()]
    };
    Ok(words.chunks(2).map(|words| filled(range(words))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decomposition::in_process;

    /// A cone of points, whose columns have very different numbers.
    fn cone(count: u32) -> Vec<Load> {
        let part = |n: u32, prime: u32| f64::from(n * prime % 10_007) / 10_007.0;
        let point = |n: u32| {
            let height = part(n, 31).cbrt();
            let [angle, far] = [6.3 * part(n, 173), height * part(n, 991).sqrt()];
            Vector3::new(far * angle.cos(), far * angle.sin(), height)
        };
        (0..count).map(|n| (point(n), f64::from(1 + n % 3))).collect()
    }

    #[test]
    fn every_box_has_the_same_share_whoever_holds_the_points() {
        let loads = cone(5000);
        for counts in [[4, 1, 1], [1, 3, 2], [2, 2, 3]] {
            let one = balanced(&mut in_process(1)[0], counts, &loads).unwrap();
            let mut works = vec![0.0; one.len()];
            for (point, work) in &loads {
                works[one.owner(point)] += work;
            }
            let mean = works.iter().sum::<f64>() / works.len() as f64;
            let most = works.iter().fold(0.0_f64, |most, work| most.max(*work));
            assert!(most / mean < 1.02, "{counts:?}: {works:?}");

            let parts: Vec<Partition> = std::thread::scope(|scope| {
                let all: Vec<_> = in_process(3)
                    .into_iter()
                    .map(|mut rank| {
                        let mine = rank.rank();
                        let own: Vec<Load> =
                            loads.iter().skip(mine * mine).step_by(3).copied().collect();
                        scope.spawn(move || {
                            // Three uneven shares of the points: every third from 0, 1 and 4 on.
                            balanced(&mut rank, counts, &own).unwrap()
                        })
                    })
                    .collect();
                all.into_iter().map(|thread| thread.join().unwrap()).collect()
            });
            assert_eq!(parts[0], parts[1], "all ranks agree");
            assert_eq!(parts[0], parts[2], "all ranks agree");
        }
    }

    #[test]
    fn nothing_and_points_in_one_place_can_be_divided() {
        let same = vec![(Vector3::repeat(2.0), 1.0); 7];
        for loads in [Vec::new(), same] {
            let partition = balanced(&mut in_process(1)[0], [3, 2, 2], &loads).unwrap();
            assert_eq!(partition.len(), 12);
        }
    }
}

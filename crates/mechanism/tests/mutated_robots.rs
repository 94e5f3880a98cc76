//! Ten thousand robots whose files are damaged at random: each is refused with a short reason, or read into a system with
//! finite matrices that can be driven.

#![cfg(feature = "mjcf")]
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::{fs, path::PathBuf};

use nalgebra::DMatrix;
use percussion_dynamics::{Articulated, System};
use percussion_mechanism::{
    mjcf,
    scenario::{Drive, Robot, Scenario},
    urdf,
};

/// Files in all.
const MUTANTS: usize = 10_000;

/// Numbers and words that break what reads them carelessly.
const NASTY: [&str; 16] = [
    "nan",
    "inf",
    "-1",
    "0",
    "1e308",
    "-1e308",
    "1e-308",
    "99999999999999999999",
    "",
    "1 2",
    "x",
    "&e;",
    "../../etc/passwd",
    "true",
    "1e9",
    "-0",
];

/// A generator of numbers, whose quality does not matter here.
struct Numbers(u64);

impl Numbers {
    /// A number below `end`.
    fn below(&mut self, end: usize) -> usize {
        let (a, c) = (6_364_136_223_846_793_005, 1_442_695_040_888_963_407);
        self.0 = self.0.wrapping_mul(a).wrapping_add(c);
        usize::try_from((self.0 >> 33) % u64::try_from(end.max(1)).unwrap()).unwrap()
    }

    /// A place in `text` between two characters.
    fn place(&mut self, text: &str) -> usize {
        let place = self.below(text.len() + 1);
        (0..=place).rev().find(|place| text.is_char_boundary(*place)).unwrap()
    }
}

/// The text with one thing changed.
fn damaged(text: &str, numbers: &mut Numbers) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let mut changed = lines.clone();
    let at = numbers.below(lines.len());
    match numbers.below(7) {
        0 => drop(changed.remove(at)),
        1 => changed.insert(at, lines[at]),
        2 => changed.swap(at, numbers.below(lines.len())),
        3 => changed.insert(at, lines[numbers.below(lines.len())]),
        4 => {
            let cut = numbers.place(text);
            return text[..cut].to_owned();
        }
        5 => {
            let (from, to) = (numbers.place(text), numbers.place(text));
            let (from, to) = (from.min(to), from.max(to).min(from.min(to) + 8));
            let to = (to..=text.len()).find(|to| text.is_char_boundary(*to)).unwrap();
            return format!("{}{}{}", &text[..from], NASTY[numbers.below(16)], &text[to..]);
        }
        _ => {
            // The value of one attribute.
            let parts: Vec<&str> = text.split('"').collect();
            let value = 2 * numbers.below(parts.len() / 2) + 1;
            let nasty = NASTY[numbers.below(16)];
            let all = parts.iter().enumerate();
            let all: Vec<&str> =
                all.map(|(k, part)| if k == value { nasty } else { part }).collect();
            return all.join("\"");
        }
    }
    changed.join("\n")
}

fn assert_finite(system: &Articulated, text: &str) {
    let count = system.velocity_count();
    let mut matrix = DMatrix::zeros(count, count);
    system.mass_matrix(&system.neutral_coordinates(), &mut matrix);
    assert!(matrix.iter().all(|entry| entry.is_finite()), "{matrix}\n{text}");
}

#[test]
fn damaged_files_are_refused_or_make_robots() {
    let folder: PathBuf = [env!("CARGO_MANIFEST_DIR"), "fixtures", "robots"].iter().collect();
    let mut files: Vec<PathBuf> =
        fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let texts: Vec<String> = files.iter().map(|file| fs::read_to_string(file).unwrap()).collect();
    let mut numbers = Numbers(2026);
    let (mut refused, mut read) = (0, 0);
    for _ in 0..MUTANTS {
        let which = numbers.below(files.len());
        let mut text = texts[which].clone();
        for _ in 0..=numbers.below(3) {
            text = damaged(&text, &mut numbers);
        }
        let is_mjcf = files[which].extension().is_some_and(|extension| extension == "xml");
        let directory = Some(folder.clone());
        let system = match is_mjcf {
            true => mjcf::read_str(&text, &mjcf::Settings { directory, ..Default::default() })
                .map(|model| model.system)
                .map_err(|error| error.to_string()),
            false => urdf::read_str(&text, &urdf::Settings { directory, ..Default::default() })
                .map(|robot| robot.system)
                .map_err(|error| error.to_string()),
        };
        match system {
            Ok(system) => {
                assert_finite(&system, &text);
                read += 1;
            }
            Err(message) => {
                assert!((5..2000).contains(&message.len()), "{message}\n{text}");
                refused += 1;
            }
        }
        // Some are placed and driven, too.
        if numbers.below(20) == 0 {
            let robot = Robot { text: Some(text), drive: Drive::Hold, ..Robot::new(&files[which]) };
            let built = Scenario::of_robot_in(robot, None).and_then(|scenario| scenario.build());
            if let Err(error) = built {
                assert!(error.to_string().len() < 4000, "{error}");
            }
        }
    }
    assert!(refused > MUTANTS / 4 && read > MUTANTS / 20, "{refused} refused, {read} read");
}

//! Ten thousand robots whose files are damaged at random: each is refused with a short reason, or read into a system with
//! finite matrices that can be driven. Files that are made to do harm are refused with the reason.

#![cfg(feature = "mjcf")]
#![expect(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::{fs, path::PathBuf, time::Instant};

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

/// Entities that multiply, nesting, includes in circles, and paths out of the folder: refused with the reason, at once.
#[test]
fn files_that_are_made_to_do_harm_are_refused() {
    let folder = std::env::temp_dir().join(format!("percussion-hostile-{}", std::process::id()));
    let inside = folder.join("model");
    fs::create_dir_all(&inside).unwrap();
    fs::write(folder.join("secret.xml"), "<mujocoinclude/>").unwrap();
    fs::write(folder.join("secret.stl"), "solid\nendsolid\n").unwrap();
    fs::write(inside.join("a.xml"), "<mujocoinclude><include file=\"b.xml\"/></mujocoinclude>")
        .unwrap();
    fs::write(inside.join("b.xml"), "<mujocoinclude><include file=\"a.xml\"/></mujocoinclude>")
        .unwrap();
    let laughs: String = (1..10)
        .map(|k| format!("<!ENTITY e{k} \"{}\">", format!("&e{};", k - 1).repeat(10)))
        .collect();
    let laughs = format!("<!DOCTYPE m [<!ENTITY e0 \"ha\">{laughs}]>");
    let mesh = |file: &str| {
        format!(
            "<mujoco>\n<asset><mesh name=\"m\" file=\"{file}\"/></asset><worldbody>\
             <geom type=\"mesh\" mesh=\"m\"/></worldbody></mujoco>"
        )
    };
    let world = |inside: &str| format!("<mujoco>\n<worldbody>{inside}</worldbody></mujoco>");
    let from = Instant::now();
    for (text, reason) in [
        (format!("{laughs}<mujoco model=\"&e9;\"/>"), "line 1"),
        (
            "<!DOCTYPE m [<!ENTITY e SYSTEM \"file:///etc/passwd\">]><mujoco model=\"&e;\"/>"
                .into(),
            "line 1",
        ),
        (world(&"<body>".repeat(100_000)), "line 2: elements are nested more than 200"),
        ("<mujoco>\n<include file=\"a.xml\"/></mujoco>".to_owned(), "included twice"),
        ("<mujoco>\n<include file=\"../secret.xml\"/></mujoco>".to_owned(), "line 2"),
        ("<mujoco>\n<include file=\"/etc/passwd\"/></mujoco>".to_owned(), "line 2"),
        (mesh("../secret.stl"), "line 2"),
        (mesh("/etc/passwd"), "line 2"),
        (world(&format!("<geom size=\"{}\"/>", "1 ".repeat(1_000_000))), "line 2"),
    ] {
        let settings = mjcf::Settings { directory: Some(inside.clone()), ..Default::default() };
        let error = mjcf::read_str(&text, &settings).unwrap_err().to_string();
        assert!(error.contains(reason) && error.len() < 2000, "{error:.500}\n  expected: {reason}");
    }
    // In a text, which says nothing in MJCF, an entity is named and not expanded.
    let text = format!("{laughs}<mujoco>\n<worldbody>&e9;</worldbody></mujoco>");
    let model = mjcf::read_str(&text, &mjcf::Settings::default()).unwrap();
    assert!(model.warnings[0].to_string().starts_with("line 2"), "{}", model.warnings[0]);
    // A hundredth of that is usual; expanded entities would take hours.
    assert!(from.elapsed().as_secs() < 60, "{:?}", from.elapsed());
    fs::remove_dir_all(folder).unwrap();
}

//! The built-in scenes.

/// Names and texts of the built-in scenes.
pub const BUILT_IN: [(&str, &str); 6] = [
    ("column", include_str!("../../scenes/column.toml")),
    ("drum", include_str!("../../scenes/drum.toml")),
    ("hopper", include_str!("../../scenes/hopper.toml")),
    ("dam-break", include_str!("../../scenes/dam-break.toml")),
    ("pour-drum", include_str!("../../scenes/pour-drum.toml")),
    ("six-by-six-by-six", include_str!("../../scenes/six-by-six-by-six.toml")),
];

//! The experiments of one paper or of one subject, for the structure of a report.

use serde::{Deserialize, Serialize};

/// Experiments that belong together, usually because one paper publishes them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Family {
    /// First part of the names of its experiments, such as `stewart-trinkle`.
    pub id: String,
    /// Title of a few words.
    pub title: String,
    /// The paper, or the origin of the checks.
    pub source: String,
    /// Introduction of two sentences that needs no previous knowledge: the question and its answer.
    pub summary: String,
    /// Name of the experiment whose motion or first figure represents the family, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub star: Option<String>,
}

impl Family {
    /// Whether the experiment called `id`, such as `stewart-trinkle/four-balls`, belongs to it.
    ///
    /// # Example
    ///
    /// ```
    /// use percussion_record::Family;
    ///
    /// let family = Family {
    ///     id: "plus".into(),
    ///     title: "Rounds of compression and expansion".into(),
    ///     source: "Uchida, Sherman & Delp, 2015".into(),
    ///     summary: "One sentence. Another one.".into(),
    ///     star: None,
    /// };
    /// assert!(family.has("plus/ball-row") && !family.has("plus-one/ball-row"));
    /// ```
    #[must_use]
    pub fn has(&self, id: &str) -> bool {
        id.strip_prefix(&self.id).is_some_and(|rest| rest.starts_with('/'))
    }
}

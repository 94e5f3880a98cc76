//! What a page plays for experiments with one impact: the outcomes of several laws next to each other.

use percussion_impact::laws::{Choice, Name};
use percussion_mechanism::view::{ImpactStage, Played};
use percussion_record::Play;

use super::{Effort, Options};
use crate::{embedded, error::Error, fixture::AnswersToPlay};

/// Divisor of the number of drawn samples of a set at effort `quick`.
const QUICK: u64 = 16;

/// Plays the answers of the laws that apply.
pub(super) fn of_answers(answers: &AnswersToPlay, options: &Options) -> Result<Play, Error> {
    let AnswersToPlay { impact: name, laws, samples } = answers;
    let impact = embedded::problem(name)?;
    let stage = ImpactStage::new(&impact);
    let samples = if options.effort == Effort::Quick { samples / QUICK } else { *samples };
    let mut played = Played::default();
    for &law in laws {
        let given = match law {
            Name::SetValuedRouth => vec![
                ("samples".to_owned(), samples.to_string()),
                ("seed".to_owned(), options.seed.to_string()),
            ],
            // The order of the blows is the point of this law.
            Name::Propagative => vec![("outcomes".to_owned(), "all".to_owned())],
            _ => Vec::new(),
        };
        let choice = Choice::new(law, given, Some(&impact.set_valued)).map_err(|error| {
            percussion_mechanism::Error::Format {
                path: format!("{name} by {law}"),
                message: error.to_string(),
            }
        })?;
        if let Ok(answer) = choice.answer(&impact.problem, &|_share| ()) {
            played.extend(stage.play(law.as_str(), &answer));
        }
    }
    let list = laws.iter().map(|law| law.as_str()).collect::<Vec<_>>().join(",");
    let all = match laws.contains(&Name::Propagative) {
        true => " --set propagative.outcomes=all",
        false => "",
    };
    let command = Some(format!("compare {name} --laws {list}{all}"));
    Ok(Play { view: stage.played(played), command })
}

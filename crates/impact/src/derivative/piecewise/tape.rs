//! The state of an outcome between its pieces, with the derivative of each part by all data.

use nalgebra::{DMatrix, DVector, RowDVector};

use super::{
    Error,
    columns::Columns,
    dual::{Dual, times},
    script::{Check, End, Item, Piece, Returns, Script, Store},
};
use crate::Problem;

/// A part of a derivative below this is rounding, relative to the size of its terms.
pub(super) const ROUNDING: f64 = 1e-9;

/// How far an outcome is from the end of a mode.
#[derive(Clone, Debug)]
pub(super) struct Margin {
    pub(super) contact: usize,
    /// Positive inside of the mode (m/s).
    pub(super) value: f64,
    pub(super) slope: RowDVector<f64>,
}

/// What is known after some pieces.
#[derive(Clone, Debug)]
pub(super) struct Tape<'a> {
    pub(super) problem: &'a Problem,
    pub(super) columns: Columns,
    /// `u` (length `r`).
    pub(super) velocity: DVector<f64>,
    pub(super) d_velocity: DMatrix<f64>,
    /// `Λ` (length `r`).
    pub(super) impulse: DVector<f64>,
    pub(super) d_impulse: DMatrix<f64>,
    /// `u` at the beginning of the impact.
    pub(super) mark: DVector<f64>,
    pub(super) d_mark: DMatrix<f64>,
    /// Normal impulses of the compression and of the expansion of each contact, and its stored energy.
    pub(super) compression: DVector<f64>,
    pub(super) d_compression: DMatrix<f64>,
    pub(super) expansion: DVector<f64>,
    pub(super) d_expansion: DMatrix<f64>,
    pub(super) energies: DVector<f64>,
    pub(super) d_energies: DMatrix<f64>,
    /// The coefficients of restitution, of the present round where there are rounds, and what is owed in it.
    pub(super) returns: DVector<f64>,
    pub(super) d_returns: DMatrix<f64>,
    pub(super) owed: DVector<f64>,
    pub(super) d_owed: DMatrix<f64>,
    /// The part of the step that is done.
    pub(super) share: f64,
    pub(super) d_share: RowDVector<f64>,
    /// Of each piece and check.
    pub(super) margins: Vec<Margin>,
    /// Combinations of the data that have to vanish in a direction, or redundant equations contradict each other.
    pub(super) contradictions: Vec<RowDVector<f64>>,
    /// Largest condition of the equations of a piece.
    pub(super) condition: f64,
    pub(super) pieces: usize,
}

impl<'a> Tape<'a> {
    pub(super) fn new(problem: &'a Problem) -> Self {
        let velocity = problem.free_contact_velocity();
        let (rows, contacts) = (velocity.len(), problem.contacts().len());
        let columns = Columns { rows, contacts };
        let count = columns.count();
        let mut d_velocity = DMatrix::zeros(rows, count);
        d_velocity.view_mut((0, 0), (rows, rows)).fill_with_identity();
        let (none, d_none) = (DVector::zeros(contacts), DMatrix::zeros(contacts, count));
        let returns = DVector::from_fn(contacts, |k, _| problem.contacts()[k].restitution);
        let mut d_returns = d_none.clone();
        for contact in 0..contacts {
            d_returns[(contact, columns.restitution(contact))] = 1.0;
        }
        Self {
            problem,
            columns,
            mark: velocity.clone(),
            d_mark: d_velocity.clone(),
            velocity,
            d_velocity,
            impulse: DVector::zeros(rows),
            d_impulse: DMatrix::zeros(rows, count),
            compression: none.clone(),
            d_compression: d_none.clone(),
            expansion: none.clone(),
            d_expansion: d_none.clone(),
            energies: none.clone(),
            d_energies: d_none.clone(),
            returns,
            d_returns,
            owed: none,
            d_owed: d_none,
            share: 0.0,
            d_share: RowDVector::zeros(count),
            margins: Vec::new(),
            contradictions: Vec::new(),
            condition: 1.0,
            pieces: 0,
        }
    }

    /// Follows a script to its end.
    pub(super) fn play(&mut self, script: &Script) -> Result<(), Error> {
        for item in &script.items {
            match item {
                Item::Begin => self.begin(),
                Item::BeginStep => {
                    self.share = 0.0;
                    self.d_share.fill(0.0);
                }
                Item::BeginRound(returns) => self.begin_round(returns),
                Item::Piece(piece) => self.take(piece)?,
                Item::Arc(arc) => self.follow(*arc)?,
                Item::Check(check) => self.check(*check),
                Item::Blend { part, piece } => self.blend(*part, piece)?,
            }
        }
        Ok(())
    }

    fn begin(&mut self) {
        self.mark.copy_from(&self.velocity);
        self.d_mark.copy_from(&self.d_velocity);
        for vector in [&mut self.compression, &mut self.expansion, &mut self.energies] {
            vector.fill(0.0);
        }
        for matrix in [&mut self.d_compression, &mut self.d_expansion, &mut self.d_energies] {
            matrix.fill(0.0);
        }
    }

    /// Contacts owe what they return of the compression in the round before. Coefficients are those of the present approach.
    fn begin_round(&mut self, returns: &[Returns]) {
        for (contact, rule) in returns.iter().enumerate() {
            let (e, c) = (self.returns[contact], self.compression[contact]);
            self.owed[contact] = e * c;
            let change = self.d_returns.row(contact) * c + self.d_compression.row(contact) * e;
            self.d_owed.set_row(contact, &change);
            let own =
                (self.problem.contacts()[contact].restitution, self.columns.restitution(contact));
            let row = self.problem.rows(contact).start;
            let approach = -self.velocity[row];
            let mut change = RowDVector::zeros(self.columns.count());
            self.returns[contact] = match *rule {
                Returns::Constant(e) => e,
                Returns::Own => {
                    change[own.1] = 1.0;
                    own.0
                }
                Returns::Falling { speed, least } => {
                    let e = least.unwrap_or(own.0);
                    change = self.d_velocity.row(row) * ((1.0 - e) / speed);
                    if least.is_none() {
                        change[own.1] += approach / speed;
                    }
                    1.0 - (1.0 - e) * approach / speed
                }
            };
            self.d_returns.set_row(contact, &change);
        }
        for vector in [&mut self.compression, &mut self.expansion] {
            vector.fill(0.0);
        }
        for matrix in [&mut self.d_compression, &mut self.d_expansion] {
            matrix.fill(0.0);
        }
    }

    /// The part of the work of a contact by which its stored energy decreases.
    pub(super) fn stored_part(&self, store: Store, contact: usize) -> f64 {
        match store {
            Store::Nothing => 0.0,
            Store::Compresses => self.problem.contacts()[contact].restitution.powi(2),
            Store::Expands => 1.0,
        }
    }

    /// Refuses impulses at a contact that cannot move along its normal: they are as large as the solver makes them.
    pub(super) fn refuse_undetermined(&self, piece: &Piece) -> Result<(), Error> {
        let none = 1e-12 * piece.impulse.amax();
        for contact in 0..piece.normals.len() {
            let rows = self.problem.rows(contact);
            let mut entries = rows.clone().map(|row| piece.impulse[row].abs());
            if self.problem.is_locked(rows.start) && entries.any(|entry| entry > none) {
                return Err(Error::Undetermined { contact });
            }
        }
        Ok(())
    }

    /// Energies and impulses of compression and expansion.
    pub(super) fn keep_books(
        &mut self,
        piece: &Piece,
        (unknowns, after): (&DVector<f64>, &DVector<f64>),
        (d_unknowns, d_after): (&DMatrix<f64>, &DMatrix<f64>),
    ) {
        for (contact, store) in piece.stores.iter().enumerate() {
            let row = self.problem.rows(contact).start;
            let (push, d_push) = (unknowns[row], d_unknowns.row(row).into_owned());
            let mean = 0.5 * (self.velocity[row] + after[row]);
            let d_work =
                &d_push * mean + (self.d_velocity.row(row) + d_after.row(row)) * (0.5 * push);
            self.keep_book(contact, *store, ((push, d_push), (push * mean, d_work)), piece.end);
        }
    }

    /// The same for one contact, from its normal impulse and the work of that.
    pub(super) fn keep_book(
        &mut self,
        contact: usize,
        store: Store,
        ((push, d_push), (work, d_work)): (Dual, Dual),
        end: End,
    ) {
        let (book, d_book) = match store {
            Store::Nothing => return,
            Store::Compresses => (&mut self.compression, &mut self.d_compression),
            Store::Expands => (&mut self.expansion, &mut self.d_expansion),
        };
        book[contact] += push;
        let mut entry = d_book.row_mut(contact);
        entry += d_push;
        let part = self.stored_part(store, contact);
        self.energies[contact] -= part * work;
        let mut entry = self.d_energies.row_mut(contact);
        entry -= d_work * part;
        if store == Store::Compresses {
            let e = self.problem.contacts()[contact].restitution;
            entry[self.columns.restitution(contact)] -= 2.0 * e * work;
        }
        if end == End::Emptied(contact) {
            self.energies[contact] = 0.0;
            entry.fill(0.0);
        }
    }

    /// `μ π_n` from the normal impulse.
    pub(super) fn bound(&self, contact: usize, push: &Dual) -> Dual {
        let mut bound = times(push.clone(), self.problem.contacts()[contact].friction);
        bound.1[self.columns.friction(contact)] += push.0;
        bound
    }

    /// The margin of a contact without friction, which ends as friction begins.
    pub(super) fn smooth(&self, contact: usize, push: f64, own: f64) -> Dual {
        let mut slope = RowDVector::zeros(self.columns.count());
        slope[self.columns.friction(contact)] = push * own;
        (0.0, slope)
    }

    /// Between pieces: what has to hold for the next one, or at the end.
    fn check(&mut self, check: Check) {
        let row = |contact: usize| self.problem.rows(contact).start;
        let (contact, value, slope) = match check {
            Check::Faster { contacts: [fast, slow], weights } => {
                let value =
                    weights[1] * self.velocity[row(slow)] - weights[0] * self.velocity[row(fast)];
                let slope = self.d_velocity.row(row(slow)) * weights[1]
                    - self.d_velocity.row(row(fast)) * weights[0];
                (fast, value, slope)
            }
            Check::FasterInEnergy { contacts: [fast, slow] } => {
                let w = self.problem.delassus();
                let own = |contact: usize| w[(row(contact), row(contact))];
                // In the speeds of the faster contact.
                let scaled = |contact: usize| {
                    let factor = (own(fast) / own(contact)).sqrt();
                    let value = factor * self.velocity[row(contact)];
                    let mut slope = self.d_velocity.row(row(contact)) * factor;
                    let place = |contact: usize| self.columns.delassus(row(contact), row(contact));
                    slope[place(contact)] -= 0.5 * value / own(contact);
                    slope[place(fast)] += 0.5 * value / own(fast);
                    (value, slope)
                };
                let (one, other) = (scaled(fast), scaled(slow));
                (fast, other.0 - one.0, other.1 - one.1)
            }
            Check::Approaches(contact) => {
                (contact, -self.velocity[row(contact)], -self.d_velocity.row(row(contact)))
            }
            Check::ApproachesBelow(contact, speed) => {
                let slope = self.d_velocity.row(row(contact)).into_owned();
                (contact, speed + self.velocity[row(contact)], slope)
            }
            Check::ApproachesAbove(contact, speed) => {
                (contact, -speed - self.velocity[row(contact)], -self.d_velocity.row(row(contact)))
            }
            Check::Separates(contact) => (
                contact,
                self.velocity[row(contact)],
                self.d_velocity.row(row(contact)).into_owned(),
            ),
            Check::Inelastic(contact) => {
                let mut slope = RowDVector::zeros(self.columns.count());
                slope[self.columns.restitution(contact)] = self.mark.amax().max(1.0);
                (contact, 0.0, slope)
            }
        };
        self.margins.push(Margin { contact, value, slope });
    }

    /// Mixes the impulses so far with those of a piece from the beginning.
    fn blend(&mut self, part: f64, piece: &Piece) -> Result<(), Error> {
        let mut other = Self::new(self.problem);
        other.take(piece)?;
        let rest = 1.0 - part;
        self.impulse = &self.impulse * part + other.impulse * rest;
        self.d_impulse = &self.d_impulse * part + other.d_impulse * rest;
        self.velocity = &self.velocity * part + other.velocity * rest;
        self.d_velocity = &self.d_velocity * part + other.d_velocity * rest;
        self.contradictions.append(&mut other.contradictions);
        self.condition = self.condition.max(other.condition);
        self.pieces += 1;
        Ok(())
    }
}

//! A session drawn small: a bounded row of cells, each the kind and the branch of the records that share it. It holds
//! no text of the session.

/// Most cells of an outline; longer sessions share them.
pub const CELLS_LIMIT: u64 = 200;
/// Most lanes: the branch that goes on, and others beside it.
pub const LANES_LIMIT: usize = 4;

/// What a record is, for a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Beat {
    /// Nothing that was read stands here.
    Gap,
    /// Anything else.
    Other,
    /// A tool's result.
    Result,
    /// Words of the model.
    Model,
    /// A call of a tool.
    Call,
    /// A person's prompt.
    Prompt,
    /// Older history was replaced by a summary here.
    Boundary,
}

impl Beat {
    /// All, with the letters of documents and the names of legends.
    pub const ALL: [(Self, char, &'static str); 7] = [
        (Self::Gap, '.', "nothing read"),
        (Self::Other, 'o', "other"),
        (Self::Result, 'r', "tool result"),
        (Self::Model, 'm', "model"),
        (Self::Call, 'c', "tool call"),
        (Self::Prompt, 'p', "prompt"),
        (Self::Boundary, 'b', "compaction"),
    ];

    /// Its letter.
    #[must_use]
    pub fn letter(self) -> char {
        Self::ALL[self as usize].1
    }

    /// The one with this letter.
    #[must_use]
    pub fn of(letter: char) -> Option<Self> {
        Self::ALL.iter().find(|beat| beat.1 == letter).map(|beat| beat.0)
    }

    /// Its name for people.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].2
    }
}

/// One cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The most telling of its records.
    pub beat: Beat,
    /// 0 is the branch that goes on; others are beside it. Below [`LANES_LIMIT`].
    pub lane: u8,
}

/// A record at or beside a place that was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Near {
    /// Line or item.
    pub position: u64,
    /// Place in the file: records that follow each other differ by 2, a place without a record is the odd number between.
    pub place: u64,
    /// What it is.
    pub beat: Beat,
}

/// The whole picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outline {
    /// Lines, or items of a document, that the cells stand for.
    pub positions: u64,
    /// At most [`CELLS_LIMIT`], first to last.
    pub cells: Vec<Cell>,
    /// The neighbourhood of some places, in order.
    pub near: Vec<Near>,
}

impl Outline {
    /// An empty picture of so many lines or items.
    #[must_use]
    pub fn new(positions: u64) -> Self {
        let cells = positions.min(CELLS_LIMIT);
        Self { positions, cells: (0..cells).map(|_| Cell { beat: Beat::Gap, lane: 0 }).collect(), near: Vec::new() }
    }

    /// The cell of a position from 1; one behind the end has the last.
    #[must_use]
    pub fn cell(&self, position: u64) -> usize {
        let cells = self.cells.len() as u64;
        let at = position.clamp(1, self.positions.max(1)) - 1;
        // Both factors are small: positions are counted in lines, cells are at most 200.
        usize::try_from(at * cells / self.positions.max(1)).unwrap_or(0)
    }

    /// Adds a record.
    pub fn add(&mut self, position: u64, beat: Beat, lane: u8) {
        let at = self.cell(position);
        if let Some(cell) = self.cells.get_mut(at).filter(|cell| beat > cell.beat) {
            *cell = Cell { beat, lane };
        }
    }

    /// Letters and lanes of the cells as text, such as `pmcr` and `0001`.
    #[must_use]
    pub fn text(&self) -> (String, String) {
        let lane = |cell: &Cell| char::from(b'0' + cell.lane);
        (self.cells.iter().map(|c| c.beat.letter()).collect(), self.cells.iter().map(lane).collect())
    }

    /// Reads [`Self::text`] back; none when it is no such text.
    #[must_use]
    pub fn parse(positions: u64, beats: &str, lanes: &str) -> Option<Self> {
        let lane = |digit: char| digit.to_digit(10).filter(|&n| (n as usize) < LANES_LIMIT).map(|n| n as u8);
        let cells: Option<Vec<Cell>> =
            beats.chars().zip(lanes.chars()).map(|(b, l)| Some(Cell { beat: Beat::of(b)?, lane: lane(l)? })).collect();
        let cells = cells.filter(|c| c.len() == beats.len() && c.len() == lanes.len())?;
        (cells.len() as u64 == positions.min(CELLS_LIMIT)).then_some(Self { positions, cells, near: Vec::new() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_shared_and_text_reads_back() {
        let mut outline = Outline::new(1_000);
        outline.add(1, Beat::Result, 0);
        outline.add(5, Beat::Prompt, 1);
        outline.add(3, Beat::Call, 2);
        outline.add(1_000, Beat::Boundary, 0);
        outline.add(u64::MAX, Beat::Other, 0);
        let (beats, lanes) = outline.text();
        assert_eq!((&beats[..2], &lanes[..2], beats.len()), ("p.", "10", 200));
        assert!(beats.ends_with('b'));
        assert_eq!(Outline::parse(1_000, &beats, &lanes), Some(outline));
        for (positions, beats, lanes) in [(2, "p", "0"), (1, "x", "0"), (1, "p", "9"), (1, "p", ""), (1, "pp", "00")] {
            assert_eq!(Outline::parse(positions, beats, lanes), None);
        }
        assert_eq!(Outline::parse(0, "", ""), Some(Outline::new(0)));
        for (beat, letter, name) in Beat::ALL {
            assert_eq!((beat.letter(), beat.name()), (letter, name));
        }
    }
}

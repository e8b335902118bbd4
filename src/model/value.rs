//! A JSON value that keeps what the reference formats distinguish: exact integers, spelled numbers, key order.

/// One JSON value. Objects keep the order of first appearance; a repeated key keeps its last value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// An integer of any size, as its canonical digits (`-0` is `0`).
    Int(String),
    /// A finite double.
    Float(f64),
    /// Text; lone surrogates have become U+FFFD.
    String(String),
    /// Elements in order.
    Array(Vec<Value>),
    /// Members in order of first appearance, names unique.
    Object(Vec<(String, Value)>),
}

impl Value {
    /// The member of an object with this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Self> {
        match self {
            Self::Object(members) => members.iter().find(|(k, _)| k == name).map(|(_, v)| v),
            _ => None,
        }
    }

    /// Gives an object's member a value, at the end when it is new. Nothing happens to other values.
    pub fn set(&mut self, name: &str, value: Self) {
        if let Self::Object(members) = self {
            match members.iter_mut().find(|m| m.0 == name) {
                Some(member) => member.1 = value,
                None => members.push((name.to_owned(), value)),
            }
        }
    }

    /// The text of a string value.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(s) => Some(s),
            _ => None,
        }
    }

    /// The value of an integer that fits.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Self::Int(digits) => digits.parse().ok(),
            _ => None,
        }
    }

    /// The members of an object.
    #[must_use]
    pub fn members(&self) -> Option<&[(String, Self)]> {
        match self {
            Self::Object(members) => Some(members),
            _ => None,
        }
    }

    /// The elements of an array.
    #[must_use]
    pub fn elements(&self) -> Option<&[Self]> {
        match self {
            Self::Array(elements) => Some(elements),
            _ => None,
        }
    }

    /// Whether the value counts as present in the reference formats: not null, false, 0, or empty.
    #[must_use]
    pub fn is_truthy(&self) -> bool {
        match self {
            Self::Null => false,
            Self::Bool(b) => *b,
            Self::Int(digits) => digits != "0",
            Self::Float(f) => *f != 0.0,
            Self::String(s) => !s.is_empty(),
            Self::Array(a) => !a.is_empty(),
            Self::Object(o) => !o.is_empty(),
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::String(text.to_owned())
    }
}

impl From<u64> for Value {
    fn from(number: u64) -> Self {
        Self::Int(number.to_string())
    }
}

impl From<bool> for Value {
    fn from(flag: bool) -> Self {
        Self::Bool(flag)
    }
}

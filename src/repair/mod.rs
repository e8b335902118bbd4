//! Repair and verify: what can safely be mended is mended, and anyone can check that nothing else was done.
//!
//! A repair is an edit script over the source: findings ask for it, recipes propose it, gates allow it, and everything
//! it does not name is copied byte for byte. The source is never written to.

#[cfg(test)]
mod accidents;
pub mod attestation;
pub mod batch;
mod bench;
mod canonical;
mod change;
pub mod execute;
mod gate;
mod lines;
pub mod manifest;
mod mend;
mod opened;
mod packed;
pub mod plan;
mod planner;
pub mod prepare;
pub mod preview;
mod receipt;
mod recipe;
pub mod refusal;
pub mod script;
pub mod source;
#[cfg(test)]
mod tests;
pub mod verify;

pub use packed::FrameEdit;
pub use prepare::{Emit, Options, Prepared, prepare};
pub use refusal::{Refusal, RepairError, unblock};

/// What a repair may give up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// Nothing.
    Conservative,
    /// What the plan names.
    Salvage,
}

impl Policy {
    /// The word in documents.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Conservative => "conservative",
            Self::Salvage => "salvage",
        }
    }
}

/// Why a repair was refused: words of the contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusalCode {
    /// Side effects are open.
    Abstained,
    /// A receipt stands where the new one would go.
    ManifestCollision,
    /// The result would not be sound, or could not be written.
    OutputInvalid,
    /// A plan file is for another source.
    PlanSourceMismatch,
    /// A plan file is not what follows from the source.
    PlanTampered,
    /// A plan file is for another policy.
    PolicyMismatch,
    /// Nothing can be done, or not there.
    RepairRefused,
    /// The source cannot be written back in its own format.
    VendorFormatRefused,
}

impl RefusalCode {
    /// The word in messages and documents.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Abstained => "ABSTAINED",
            Self::ManifestCollision => "MANIFEST_COLLISION",
            Self::OutputInvalid => "OUTPUT_INVALID",
            Self::PlanSourceMismatch => "PLAN_SOURCE_MISMATCH",
            Self::PlanTampered => "PLAN_TAMPERED",
            Self::PolicyMismatch => "POLICY_MISMATCH",
            Self::RepairRefused => "REPAIR_REFUSED",
            Self::VendorFormatRefused => "VENDOR_FORMAT_REFUSED",
        }
    }
}

//! (contract)

//! Which texts may stand in a report: no controls, no addresses, no credentials.

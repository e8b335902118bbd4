//! stub
use crate::record::Json;
pub(super) fn is_exec(record: Json<'_>) -> bool {
    record.get("payload").is_none() && record.str("type").is_some_and(|t| t.contains('.'))
}

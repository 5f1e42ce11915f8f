//! Names of objects: the followers of counter `c` are `c#f1`, `c#f2`, and so on.

use protocol::host::{Namespace, ObjectName};

/// Where counters live.
pub const COUNTER: Namespace = Namespace::new("counter");
/// Where followers live.
pub const FOLLOWER: Namespace = Namespace::new("follower");

/// The name of a counter's `number`th follower.
#[must_use]
pub fn follower(counter: &ObjectName, number: u32) -> ObjectName {
    ObjectName::new(format!("{counter}#f{number}"))
}

/// What a follower's name says: its counter, and which of the counter's followers it is. `None` for any other name.
///
/// ```
/// use demonstration::names;
/// use protocol::host::ObjectName;
/// let main = ObjectName::new("main");
/// assert_eq!(names::parse_follower(&names::follower(&main, 2)), Some((main.clone(), 2)));
/// assert_eq!(names::parse_follower(&main), None);
/// ```
#[must_use]
pub fn parse_follower(name: &ObjectName) -> Option<(ObjectName, u32)> {
    let (counter, digits) = name.0.rsplit_once("#f")?;
    if counter.is_empty() {
        return None;
    }
    Some((ObjectName::new(counter), parse_number(digits)?))
}

/// A follower's number: from 1, in decimal digits, without a leading zero, so that each has one spelling.
#[must_use]
pub fn parse_number(digits: &str) -> Option<u32> {
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit()) && !digits.starts_with('0');
    if plain { digits.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_follower_has_one_name() {
        for odd in [
            "main",
            "#f1",
            "main#f",
            "main#f0",
            "main#f01",
            "main#f+1",
            "main#f1 ",
            "main#f4294967296",
        ] {
            assert_eq!(parse_follower(&ObjectName::new(odd)), None, "{odd}");
        }
    }

    #[test]
    fn a_counter_can_have_the_name_of_a_follower() {
        let odd = ObjectName::new("a#f1");
        assert_eq!(parse_follower(&follower(&odd, 7)), Some((odd, 7)));
    }
}

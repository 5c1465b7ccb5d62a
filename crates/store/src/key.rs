//! Names of cached things, made from everything that they depend on.

use std::fmt;

use blake3::Hasher;

/// The name of a cached thing. Same parts, same key, on every machine.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(String);

impl Key {
    /// 64 hexadecimal digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&self.0)
    }
}

/// Collects the parts of a key. Each part is hashed with its label and both lengths, so that no two lists of parts
/// run into each other.
#[derive(Debug, Clone)]
pub struct KeyBuilder(Hasher);

impl KeyBuilder {
    /// Begins a key. `purpose` keeps keys of different things apart; raise a number in it when what is cached changes
    /// its form.
    pub fn new(purpose: &str) -> Self {
        Self(Hasher::new()).part("purpose", purpose)
    }

    /// Adds something that the cached thing depends on.
    #[must_use]
    pub fn part(mut self, label: &str, value: impl AsRef<[u8]>) -> Self {
        for bytes in [label.as_bytes(), value.as_ref()] {
            self.0.update(&(bytes.len() as u64).to_le_bytes());
            self.0.update(bytes);
        }
        self
    }

    /// Adds a list of such things, in order.
    #[must_use]
    pub fn parts<T: AsRef<[u8]>>(self, label: &str, values: impl IntoIterator<Item = T>) -> Self {
        let mut count = 0_u64;
        let builder = values.into_iter().fold(self, |builder, value| {
            count += 1;
            builder.part(label, value)
        });
        builder.part("count", count.to_le_bytes())
    }

    /// The key.
    pub fn finish(self) -> Key {
        Key(self.0.finalize().to_hex().to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_parts_give_the_same_key_in_every_version_of_bonafix() {
        let key = KeyBuilder::new("java-version-1")
            .part("jdk", "21.0.2")
            .parts("options", ["-g", "-nowarn"])
            .finish();
        assert_eq!(key.as_str(), "a53423c346004c23a35f2a624d76f03f025e4e32e06ccb1d74df8bdab3c512f1");
    }

    #[test]
    fn parts_do_not_run_into_each_other() {
        let key = |parts: &[(&str, &str)]| {
            parts
                .iter()
                .fold(KeyBuilder::new("x"), |builder, (label, value)| builder.part(label, value))
                .finish()
        };
        assert_ne!(key(&[("a", "bc")]), key(&[("ab", "c")]));
        assert_ne!(key(&[("a", "b"), ("c", "d")]), key(&[("c", "d"), ("a", "b")]));
        let list = |first: &[&str], second: &[&str]| {
            KeyBuilder::new("x").parts("l", first.iter()).parts("l", second.iter()).finish()
        };
        assert_ne!(list(&["a", "b"], &[]), list(&["a"], &["b"]));
    }
}

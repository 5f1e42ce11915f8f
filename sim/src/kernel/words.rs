//! Short texts as whole words: to hash them so costs less than to copy bytes one number at a time.

/// Up to eight bytes as one word, little end first, with zeros after them.
#[inline]
pub(super) fn padded(bytes: &[u8]) -> u64 {
    // The halves overlap, where they are equal.
    if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
        let word = |half: &[u8; 4]| u64::from(u32::from_le_bytes(*half));
        return word(first) | word(last) << (8 * (bytes.len() - 4));
    }
    let byte = |at: usize| u64::from(bytes[at]) << (8 * at);
    match bytes.len() {
        0 => 0,
        length => byte(0) | byte(length / 2) | byte(length - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::padded;

    #[test]
    fn a_word_holds_the_bytes_and_zeros_after_them() {
        let text = *b"abcdefgh";
        for length in 0..=8 {
            let mut padded_by_hand = [0; 8];
            padded_by_hand[..length].copy_from_slice(&text[..length]);
            assert_eq!(padded(&text[..length]), u64::from_le_bytes(padded_by_hand));
        }
    }
}

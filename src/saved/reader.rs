//! Reads the parts of a state, of which nothing can be trusted.

use alloc::string::String;

use ascii::AsciiStr;

use super::FARTHEST;

/// No text leads to such a state.
#[derive(Debug, PartialEq, Eq)]
pub struct Impossible;

impl Impossible {
    /// Nothing if all is well.
    #[inline]
    pub fn unless(is_possible: bool) -> Result<(), Self> {
        if is_possible { Ok(()) } else { Err(Self) }
    }
}

/// Takes from the bytes of a state. Nothing that it returns is longer than the bytes that are there.
pub struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    #[inline]
    pub fn byte(&mut self) -> Result<u8, Impossible> {
        let (&first, rest) = self.rest.split_first().ok_or(Impossible)?;
        self.rest = rest;
        Ok(first)
    }

    pub fn flag(&mut self) -> Result<bool, Impossible> {
        match self.byte()? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(Impossible),
        }
    }

    /// One of the values, which were written by their places.
    pub fn choice<T: Copy>(&mut self, of: &[T]) -> Result<T, Impossible> {
        of.get(usize::from(self.byte()?)).copied().ok_or(Impossible)
    }

    #[inline]
    pub fn number(&mut self) -> Result<u64, Impossible> {
        // Most are short.
        if let Some((&first, rest)) = self.rest.split_first()
            && first < 0x80
        {
            self.rest = rest;
            return Ok(first.into());
        }
        self.long_number()
    }

    fn long_number(&mut self) -> Result<u64, Impossible> {
        let (mut number, mut shift) = (0, 0);
        loop {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7F);
            if shift > 63 || shift == 63 && bits > 1 {
                return Err(Impossible);
            }
            number |= bits << shift;
            if byte < 0x80 {
                return Ok(number);
            }
            shift += 7;
        }
    }

    /// A number up to this one.
    pub fn at_most(&mut self, most: u64) -> Result<u64, Impossible> {
        self.number().ok().filter(|number| *number <= most).ok_or(Impossible)
    }

    /// A place in a text.
    pub fn place(&mut self) -> Result<u64, Impossible> {
        self.at_most(FARTHEST)
    }

    pub fn size(&mut self) -> Result<usize, Impossible> {
        usize::try_from(self.number()?).map_err(|_| Impossible)
    }

    /// Reads the number of parts that follow, each of which takes a byte at least.
    pub fn count(&mut self) -> Result<usize, Impossible> {
        self.size().ok().filter(|count| *count <= self.rest.len()).ok_or(Impossible)
    }

    pub fn bytes(&mut self) -> Result<&'a [u8], Impossible> {
        let len = self.count()?;
        let (bytes, rest) = self.rest.split_at_checked(len).ok_or(Impossible)?;
        self.rest = rest;
        Ok(bytes)
    }

    pub fn text(&mut self) -> Result<&'a str, Impossible> {
        let bytes = self.bytes()?;
        // Most keys are ASCII, which is checked faster.
        let ascii = AsciiStr::from_ascii(bytes).ok().map(AsciiStr::as_str);
        ascii.map_or_else(|| core::str::from_utf8(bytes).map_err(|_| Impossible), Ok)
    }

    pub fn string(&mut self) -> Result<String, Impossible> {
        self.text().map(String::from)
    }

    /// Reads something that may be missing.
    pub fn option<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T, Impossible>,
    ) -> Result<Option<T>, Impossible> {
        if self.flag()? { read(self).map(Some) } else { Ok(None) }
    }

    /// Nothing may be left.
    pub fn end(&self) -> Result<(), Impossible> {
        Impossible::unless(self.rest.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::String;
    use alloc::vec::Vec;

    use super::super::Writer;
    use super::*;
    use crate::random::Random;

    #[test]
    fn numbers_and_counts_have_bounds() {
        let number = |bytes: &[u8]| Reader::new(bytes).number();
        let with_end = |end: &[u8]| number(&[&[0xFF; 9][..], end].concat());
        assert_eq!(number(&[0x7F]), Ok(0x7F));
        assert_eq!(number(&[0x80, 0x01]), Ok(0x80));
        assert_eq!(with_end(&[0x00]), Ok(u64::MAX >> 1));
        assert_eq!(with_end(&[0x01]), Ok(u64::MAX));
        assert_eq!(with_end(&[0x02]), Err(Impossible), "the 65th bit");
        assert_eq!(with_end(&[0x81, 0x00]), Err(Impossible), "an eleventh byte");
        assert_eq!(number(&[0x80]), Err(Impossible));
        assert_eq!(number(&[]), Err(Impossible));
        assert_eq!(Reader::new(&[5]).at_most(5), Ok(5));
        assert_eq!(Reader::new(&[5]).at_most(4), Err(Impossible));
        let mut reader = Reader::new(&[1, 0]);
        assert_eq!((reader.count(), reader.end()), (Ok(1), Err(Impossible)));
        assert_eq!(Reader::new(&[2, 0]).count(), Err(Impossible));
        assert_eq!(Reader::new(&[2]).flag(), Err(Impossible));
        assert_eq!(Reader::new(&[1]).choice(&['a']), Err(Impossible));
    }

    fn byte(random: &mut Random) -> u8 {
        random.below(256).to_le_bytes()[0]
    }

    #[test]
    fn what_is_written_is_read() {
        for seed in 0..2_000 {
            let mut random = Random::new(seed);
            // Of every length in bits.
            let number = u64::from_le_bytes([(); 8].map(|()| byte(&mut random))) >> random.below(64);
            let text: String =
                (0..random.below(200)).map(|_| random.pick(&['a', '\0', 'é', '€', '\u{10ffff}'])).collect();
            let (flag, option) = (random.below(2) == 0, (random.below(2) == 0).then(|| byte(&mut random)));
            let mut bytes = Vec::new();
            let mut writer = Writer::new(&mut bytes);
            writer.number(number);
            writer.text(&text);
            writer.flag(flag);
            writer.option(option, Writer::byte);
            let mut reader = Reader::new(&bytes);
            assert_eq!(reader.number(), Ok(number), "seed {seed}");
            assert_eq!(reader.text(), Ok(&*text), "seed {seed}");
            assert_eq!(reader.flag(), Ok(flag), "seed {seed}");
            assert_eq!(reader.option(Reader::byte), Ok(option), "seed {seed}");
            assert_eq!(reader.end(), Ok(()), "seed {seed}");
        }
    }

    #[test]
    fn any_bytes_are_read_or_refused() {
        for seed in 0..2_000 {
            let mut random = Random::new(seed);
            let bytes: Vec<u8> = (0..random.below(100)).map(|_| byte(&mut random)).collect();
            let mut reader = Reader::new(&bytes);
            while reader.bytes().is_ok_and(|read| !read.is_empty()) {}
            let mut reader = Reader::new(&bytes);
            while reader.number().is_ok() {}
        }
    }
}

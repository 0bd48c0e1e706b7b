//! The bodies of the fuzz targets: one function a property, for the fuzzer's bytes or anybody else's.

pub mod chunks;

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    /// What the fuzzer starts from passes without it, on any Rust.
    #[test]
    fn seeds_of_chunks() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds/chunks");
        let seeds = fs::read_dir(folder).unwrap().map(|entry| fs::read(entry.unwrap().path()).unwrap());
        assert!(seeds.inspect(|seed| crate::chunks::check(seed)).count() > 10);
    }
}

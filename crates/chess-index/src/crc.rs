//! CRC-32C (Castagnoli), the checksum of a page.
//!
//! Takes bytes and the checksum of the bytes before them, so that appending to a page need not read it again.
//! Table-driven, eight bytes a step: about 2 GB/s.

const POLYNOMIAL: u32 = 0x82f6_3b78;

static TABLES: [[u32; 256]; 8] = tables();

const fn tables() -> [[u32; 256]; 8] {
    let mut tables = [[0; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let mut crc = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            crc = crc >> 1 ^ if crc & 1 == 1 { POLYNOMIAL } else { 0 };
            bit += 1;
        }
        tables[0][byte] = crc;
        byte += 1;
    }
    let mut table = 1;
    while table < 8 {
        let mut byte = 0;
        while byte < 256 {
            let before = tables[table - 1][byte];
            tables[table][byte] = before >> 8 ^ tables[0][(before & 255) as usize];
            byte += 1;
        }
        table += 1;
    }
    tables
}

/// The checksum of all earlier bytes followed by `bytes`; `before` is 0 at the beginning.
pub(crate) fn extend(before: u32, bytes: &[u8]) -> u32 {
    let mut crc = !before;
    let (words, rest) = bytes.as_chunks::<8>();
    for word in words {
        let word = u64::from_le_bytes(*word) ^ u64::from(crc);
        crc = (0..8).fold(0, |crc, n| crc ^ TABLES[7 - n][(word >> (8 * n) & 255) as usize]);
    }
    for byte in rest {
        crc = crc >> 8 ^ TABLES[0][((crc ^ u32::from(*byte)) & 255) as usize];
    }
    !crc
}

#[cfg(test)]
mod tests {
    use super::extend;

    #[test]
    fn published_checksums() {
        // RFC 3720, B.4
        assert_eq!(extend(0, b"123456789"), 0xe306_9283);
        assert_eq!(extend(0, &[0; 32]), 0x8a91_36aa);
        assert_eq!(extend(0, &[0xff; 32]), 0x62a8_ab43);
        let ascending: Vec<u8> = (0..32).collect();
        assert_eq!(extend(0, &ascending), 0x46dd_794e);
        for cut in 0..32 {
            assert_eq!(extend(extend(0, &ascending[..cut]), &ascending[cut..]), 0x46dd_794e);
        }
    }
}

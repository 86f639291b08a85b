//! An atlas: many tiles on one texture, so that one draw serves them all.

/// Sides of an atlas are multiples of this (texels), so that rows of 8 bytes a texel can be copied.
const ALIGN: u32 = 32;

/// Tiles packed in shelves, in the order given.
#[derive(Clone, Debug)]
pub struct Atlas {
    most: u32,
    gutter: u32,
    /// Where the open shelf begins, how high it is, and how much of it is taken.
    shelf: [u32; 3],
    width: u32,
}

impl Atlas {
    /// An atlas of at most `most` texels per side, with `gutter` texels around every tile: as many
    /// as what is drawn may reach beyond its tile.
    pub fn new(most: u32, gutter: u32) -> Atlas {
        Atlas { most: most / ALIGN * ALIGN, gutter, shelf: [0; 3], width: 0 }
    }

    /// Where a tile of `size` goes; `None` where there is no room for it.
    pub fn place(&mut self, size: [u32; 2]) -> Option<[u32; 2]> {
        let [width, height] = size.map(|n| n.saturating_add(2 * self.gutter));
        if width > self.most || height > self.most {
            return None;
        }
        let [mut at, mut high, mut taken] = self.shelf;
        if taken + width > self.most {
            [at, high, taken] = [at + high, 0, 0];
        }
        if at + height > self.most {
            return None;
        }
        let corner = [taken + self.gutter, at + self.gutter];
        self.shelf = [at, high.max(height), taken + width];
        self.width = self.width.max(taken + width);
        Some(corner)
    }

    /// The size of the texture that holds all tiles placed so far.
    pub fn size(&self) -> [u32; 2] {
        [self.width.max(1).next_multiple_of(ALIGN), (self.shelf[0] + self.shelf[1]).max(1)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_lie_apart_and_within() {
        for gutter in [0, 3] {
            let mut atlas = Atlas::new(256, gutter);
            let mut tiles: Vec<([u32; 2], [u32; 2])> = Vec::new();
            for k in 0..200u32 {
                let size = [1 + k * 7 % 50, 1 + k * 13 % 40];
                let Some(at) = atlas.place(size) else { continue };
                for (other, of) in &tiles {
                    let apart = (0..2).any(|d| {
                        at[d] >= other[d] + of[d] + 2 * gutter || other[d] >= at[d] + size[d] + 2 * gutter
                    });
                    assert!(apart, "{at:?} {size:?} meets {other:?} {of:?}");
                }
                tiles.push((at, size));
            }
            let [width, height] = atlas.size();
            assert!(width <= 256 && height <= 256 && width % 32 == 0 && tiles.len() > 20);
            let fits = |(at, size): &([u32; 2], [u32; 2])| {
                at[0] >= gutter && at[0] + size[0] + gutter <= width && at[1] + size[1] + gutter <= height
            };
            assert!(tiles.iter().all(fits));
        }
    }

    #[test]
    fn what_is_too_large_has_no_place() {
        let mut atlas = Atlas::new(2048, 1);
        assert_eq!(atlas.place([2047, 4]), None);
        assert_eq!(atlas.place([u32::MAX, 4]), None);
        assert_eq!(atlas.place([2046, 2046]), Some([1, 1]));
        assert_eq!(atlas.place([1, 1]), None);
    }
}

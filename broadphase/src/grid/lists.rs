//! Proxies sorted into columns.

/// For each column a list: for column `c`, `ids[starts[c]..starts[c + 1]]`.
#[derive(Debug, Default)]
pub(crate) struct Lists {
    starts: Vec<u32>,
    ids: Vec<u32>,
}

impl Lists {
    /// Sorts (column, proxy) by column, keeping the order within each.
    pub fn fill(&mut self, members: &[(u32, u32)], columns: usize) {
        self.starts.clear();
        self.starts.resize(columns + 1, 0);
        self.ids.clear();
        self.ids.resize(members.len(), 0);
        for &(column, _) in members {
            self.starts[column as usize + 1] += 1;
        }
        for c in 0..columns {
            self.starts[c + 1] += self.starts[c];
        }
        for &(column, id) in members.iter().rev() {
            let end = &mut self.starts[column as usize + 1];
            *end -= 1;
            self.ids[*end as usize] = id;
        }
        // Each entry has moved down to the start of its own column.
        self.starts.rotate_left(1);
        self.starts[columns] = members.len() as u32;
    }

    pub fn of(&self, column: usize) -> &[u32] {
        &self.ids[self.starts[column] as usize..self.starts[column + 1] as usize]
    }

    /// Bytes held.
    pub fn memory(&self) -> usize {
        4 * (self.starts.capacity() + self.ids.capacity())
    }
}

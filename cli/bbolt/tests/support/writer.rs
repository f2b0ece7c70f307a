//! Writes bbolt databases for tests, as bbolt would after one transaction.

/// A key and its value.
pub type Pair = (Vec<u8>, Vec<u8>);

const HEADER: usize = 16;
const LEAF: u16 = 0x02;
const BRANCH: u16 = 0x01;

/// A database with pages of that size and those buckets. Keys have to be in order, of buckets, too.
pub fn database(page_size: usize, buckets: &[(&[u8], Vec<Pair>)]) -> Vec<u8> {
    let mut file = File { page_size, bytes: vec![0; 2 * page_size] };
    let mut root = Vec::new();
    for (name, pairs) in buckets {
        let leaf = page(0, LEAF, &leaf_elements(pairs, 0));
        let is_inline = leaf.len() <= page_size / 4;
        let number = if is_inline { 0 } else { file.tree(pairs, 0) };
        let mut value = [number.to_le_bytes(), 0_u64.to_le_bytes()].concat();
        if is_inline {
            value.extend(leaf);
        }
        root.push((name.to_vec(), value));
    }
    let root = file.tree(&root, 1);
    file.free_pages();
    let pages = (file.bytes.len() / page_size) as u64;
    for number in 0..2 {
        let meta = meta(page_size as u32, root, pages, 40 + number);
        let head = header(number, 0x04, 0, 0);
        let at = number as usize * page_size;
        file.bytes[at..at + HEADER + meta.len()].copy_from_slice(&[head, meta].concat());
    }
    file.bytes
}

/// A meta with its checksum.
pub fn meta(page_size: u32, root: u64, pages: u64, transaction: u64) -> Vec<u8> {
    let mut meta = Vec::new();
    for number in [0xED0C_DAED_u32, 2, page_size, 0] {
        meta.extend(number.to_le_bytes());
    }
    for number in [root, 0, pages.saturating_sub(1), pages, transaction] {
        meta.extend(number.to_le_bytes());
    }
    meta.extend(checksum(&meta).to_le_bytes());
    meta
}

/// FNV-1a.
pub fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(14_695_981_039_346_656_037, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(1_099_511_628_211)
    })
}

struct File {
    page_size: usize,
    bytes: Vec<u8>,
}

/// What an element of a page has: flags or the page of the child, key, value.
enum Element {
    Leaf(u32, Vec<u8>, Vec<u8>),
    Branch(u64, Vec<u8>),
}

impl Element {
    fn size(&self) -> usize {
        HEADER
            + match self {
                Self::Leaf(_, key, value) => key.len() + value.len(),
                Self::Branch(_, key) => key.len(),
            }
    }

    fn key(&self) -> &[u8] {
        match self {
            Self::Leaf(_, key, _) | Self::Branch(_, key) => key,
        }
    }
}

fn leaf_elements(pairs: &[Pair], flags: u32) -> Vec<Element> {
    pairs.iter().map(|(key, value)| Element::Leaf(flags, key.clone(), value.clone())).collect()
}

impl File {
    /// Writes a tree, and returns its root page.
    fn tree(&mut self, pairs: &[Pair], flags: u32) -> u64 {
        let mut level = self.level(LEAF, leaf_elements(pairs, flags));
        while level.len() > 1 {
            let children = level.into_iter().map(|(page, key)| Element::Branch(page, key)).collect();
            level = self.level(BRANCH, children);
        }
        level[0].0
    }

    /// Writes the pages of a level, and returns the first key of each.
    fn level(&mut self, flags: u16, elements: Vec<Element>) -> Vec<(u64, Vec<u8>)> {
        let mut pages: Vec<Vec<Element>> = vec![Vec::new()];
        let mut size = HEADER;
        for element in elements {
            let last = pages.last_mut().expect("a page");
            if last.len() >= 2 && size + element.size() > self.page_size {
                size = HEADER;
                pages.push(Vec::new());
            }
            size += element.size();
            pages.last_mut().expect("a page").push(element);
        }
        let written = pages.into_iter().map(|elements| {
            let number = (self.bytes.len() / self.page_size) as u64;
            self.bytes.extend(page(number, flags, &elements));
            let whole = self.bytes.len().next_multiple_of(self.page_size);
            let overflow = (whole / self.page_size) as u64 - number - 1;
            self.bytes.resize(whole, 0xa5);
            let at = number as usize * self.page_size + 12;
            self.bytes[at..at + 4].copy_from_slice(&(overflow as u32).to_le_bytes());
            (number, elements.first().map_or(Vec::new(), |first| first.key().to_vec()))
        });
        written.collect()
    }

    /// Writes an empty list of free pages.
    fn free_pages(&mut self) {
        let number = (self.bytes.len() / self.page_size) as u64;
        self.bytes.extend(header(number, 0x10, 0, 0));
        self.bytes.resize(self.bytes.len().next_multiple_of(self.page_size), 0);
    }
}

fn header(number: u64, flags: u16, count: u16, overflow: u32) -> Vec<u8> {
    let mut header = number.to_le_bytes().to_vec();
    header.extend(flags.to_le_bytes());
    header.extend(count.to_le_bytes());
    header.extend(overflow.to_le_bytes());
    header
}

fn page(number: u64, flags: u16, elements: &[Element]) -> Vec<u8> {
    let mut page = header(number, flags, elements.len() as u16, 0);
    let mut data = Vec::new();
    for (index, element) in elements.iter().enumerate() {
        let position = ((elements.len() - index) * HEADER + data.len()) as u32;
        let length = element.key().len() as u32;
        match element {
            Element::Leaf(flags, key, value) => {
                for number in [*flags, position, length, value.len() as u32] {
                    page.extend(number.to_le_bytes());
                }
                data.extend([&key[..], value].concat());
            }
            Element::Branch(child, key) => {
                page.extend(position.to_le_bytes());
                page.extend(length.to_le_bytes());
                page.extend(child.to_le_bytes());
                data.extend(key);
            }
        }
    }
    page.extend(data);
    page
}

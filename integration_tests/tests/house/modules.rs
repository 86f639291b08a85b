//! The modules of a crate as its files tell them: what each defines, and which files use each other.
//!
//! A file uses another one where a path in its code, or a private `use`, leads to an item that the other one
//! defines; re-exports are followed to the definition. So `mod` and `pub use` alone make no use, neither of a
//! parent nor of a child. What is compiled for tests only is passed over, and so are inline modules' borders:
//! their code is their file's.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::Visit;
use syn::{Attribute, Item, UseTree, Visibility};

/// A module's place in its crate: the names from the root on.
type ModulePath = Vec<String>;

/// A crate's modules.
#[derive(Default)]
pub struct Modules {
    by_path: BTreeMap<ModulePath, Module>,
    files: Vec<PathBuf>,
    /// Named types: file and whether anything outside the file's module can name it.
    types: Vec<(String, usize, bool)>,
}

#[derive(Default)]
struct Module {
    file: usize,
    items: BTreeSet<String>,
    imports: Vec<Import>,
    /// Paths in its code.
    uses: Vec<Vec<String>>,
}

struct Import {
    /// The name that it brings into scope; `None` for a glob.
    name: Option<String>,
    path: Vec<String>,
    public: bool,
}

/// Where a path leads.
enum Target {
    Module(ModulePath),
    Item(usize),
}

impl Modules {
    /// Reads the crate in a folder.
    pub fn of_crate(folder: &Path) -> Modules {
        let mut modules = Modules::default();
        modules.read(&folder.join("src/lib.rs"), Vec::new());
        modules
    }

    /// The name of a file, from the crate's `src` on.
    fn name(&self, file: usize) -> String {
        let text = self.files[file].to_string_lossy().replace('\\', "/");
        text.rsplit_once("/src/").map_or(text.clone(), |(_, name)| name.to_owned())
    }

    fn read(&mut self, file: &Path, path: ModulePath) {
        let text = std::fs::read_to_string(file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        let parsed = syn::parse_file(&text).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
        let index = self.files.len();
        self.files.push(file.to_owned());
        self.module(&parsed.items, index, path);
    }

    fn module(&mut self, items: &[Item], file: usize, path: ModulePath) {
        let mut module = Module { file, ..Module::default() };
        for item in items.iter().filter(|item| !for_tests(attributes(item))) {
            if let Some((name, visibility)) = named_type(item) {
                self.types.push((name, file, !matches!(visibility, Visibility::Inherited)));
            }
            match item {
                Item::Mod(inner) => {
                    let mut path = path.clone();
                    path.push(inner.ident.to_string());
                    match &inner.content {
                        Some((_, items)) => self.module(items, file, path),
                        None => self.read(&self.file_of(file, &inner.ident.to_string()), path),
                    }
                }
                Item::Use(item) => {
                    let public = !matches!(item.vis, Visibility::Inherited);
                    imports(&item.tree, &mut Vec::new(), public, &mut module.imports);
                }
                _ => {
                    module.items.extend(item_name(item));
                    let mut code = Code(&mut module);
                    code.visit_item(item);
                }
            }
        }
        self.by_path.insert(path, module);
    }

    /// The file of `mod name;` in a file.
    fn file_of(&self, parent: usize, name: &str) -> PathBuf {
        let parent = &self.files[parent];
        let own = parent.file_stem().is_some_and(|s| ["lib", "mod", "main"].iter().any(|m| s == *m));
        let folder = if own {
            parent.parent().expect("a file is in a folder").to_owned()
        } else {
            parent.with_extension("")
        };
        let [flat, nested] = [folder.join(format!("{name}.rs")), folder.join(name).join("mod.rs")];
        if flat.is_file() { flat } else { nested }
    }

    /// Where a path leads that stands in `module`; nowhere if it begins outside of the crate.
    fn resolve(&self, module: &[String], path: &[String], depth: usize) -> Option<Target> {
        let mut at = module.to_vec();
        for (k, name) in path.iter().enumerate() {
            match name.as_str() {
                "crate" => at.clear(),
                "self" => {}
                "super" => drop(at.pop()),
                name => match self.find(&at, name, depth)? {
                    Target::Module(inner) if inner != at || k == 0 => at = inner,
                    target => return Some(target),
                },
            }
        }
        Some(Target::Module(at))
    }

    /// What a name is in a module.
    fn find(&self, at: &[String], name: &str, depth: usize) -> Option<Target> {
        let module = self.by_path.get(at)?;
        let child: ModulePath = at.iter().cloned().chain([name.to_owned()]).collect();
        if self.by_path.contains_key(&child) {
            return Some(Target::Module(child));
        }
        if module.items.contains(name) {
            return Some(Target::Item(module.file));
        }
        // Imports can lead round in a circle (`use a::*` in `b` and the other way round).
        let deeper = depth.checked_sub(1)?;
        let named = module.imports.iter().find(|i| i.name.as_deref() == Some(name));
        if let Some(import) = named {
            return self.resolve(at, &import.path, deeper);
        }
        module.imports.iter().filter(|i| i.name.is_none()).find_map(|glob| {
            match self.resolve(at, &glob.path, deeper)? {
                Target::Module(from) if from != at => self.find(&from, name, deeper),
                _ => None,
            }
        })
    }

    /// For each file the files that it uses.
    fn uses(&self) -> BTreeMap<usize, BTreeSet<usize>> {
        const DEPTH: usize = 8;
        let mut edges: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        for (path, module) in &self.by_path {
            let private = module.imports.iter().filter(|i| !i.public).map(|i| &i.path);
            for used in private.chain(&module.uses) {
                if let Some(Target::Item(file)) = self.resolve(path, used, DEPTH)
                    && file != module.file
                {
                    edges.entry(module.file).or_default().insert(file);
                }
            }
        }
        edges
    }

    /// Files that use each other, directly or through others; each group in the order in which they were read.
    pub fn cycles(&self) -> Vec<Vec<String>> {
        groups(&self.uses())
            .into_iter()
            .map(|group| group.into_iter().map(|file| self.name(file)).collect())
            .collect()
    }

    /// Names that several types have which other modules can name, with their files.
    pub fn shared_type_names(&self) -> BTreeMap<String, Vec<String>> {
        let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (name, file, _) in self.types.iter().filter(|(_, _, visible)| *visible) {
            found.entry(name.clone()).or_default().push(self.name(*file));
        }
        found.retain(|_, files| files.len() > 1);
        found
    }

    /// All files, from `src` on.
    pub fn file_names(&self) -> impl Iterator<Item = String> {
        (0..self.files.len()).map(|file| self.name(file))
    }
}

/// Strongly connected components of more than one node: those that reach each other.
fn groups(edges: &BTreeMap<usize, BTreeSet<usize>>) -> Vec<BTreeSet<usize>> {
    let reached = |from: usize| {
        let (mut seen, mut waiting) = (BTreeSet::new(), vec![from]);
        while let Some(node) = waiting.pop() {
            for &next in edges.get(&node).into_iter().flatten() {
                if seen.insert(next) {
                    waiting.push(next);
                }
            }
        }
        seen
    };
    let reach: BTreeMap<usize, BTreeSet<usize>> = edges.keys().map(|&node| (node, reached(node))).collect();
    let mut found: Vec<BTreeSet<usize>> = Vec::new();
    for (&node, seen) in reach.iter().filter(|(node, seen)| seen.contains(node)) {
        if !found.iter().any(|group| group.contains(&node)) {
            found.push(
                seen.iter()
                    .copied()
                    .filter(|other| reach.get(other).is_some_and(|r| r.contains(&node)))
                    .collect(),
            );
        }
    }
    found
}

/// The paths in an item's code.
struct Code<'m>(&'m mut Module);

impl<'ast> Visit<'ast> for Code<'_> {
    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.leading_colon.is_none() {
            self.0.uses.push(path.segments.iter().map(|s| s.ident.to_string()).collect());
        }
        syn::visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, invocation: &'ast syn::Macro) {
        paths_in(&invocation.tokens, &mut self.0.uses);
        syn::visit::visit_macro(self, invocation);
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        imports(&item.tree, &mut Vec::new(), false, &mut self.0.imports);
    }

    fn visit_attribute(&mut self, _: &'ast Attribute) {}
}

/// Everything in a macro's tokens that looks like a path.
fn paths_in(tokens: &TokenStream, found: &mut Vec<Vec<String>>) {
    let mut path: Vec<String> = Vec::new();
    let mut colons = 0;
    for token in tokens.clone() {
        match &token {
            TokenTree::Ident(name) => {
                if colons != 2 && !path.is_empty() {
                    found.push(std::mem::take(&mut path));
                }
                path.push(name.to_string());
                colons = 0;
            }
            TokenTree::Punct(p) if p.as_char() == ':' => colons += 1,
            _ => {
                if !path.is_empty() {
                    found.push(std::mem::take(&mut path));
                }
                colons = 0;
                if let TokenTree::Group(group) = &token {
                    paths_in(&group.stream(), found);
                }
            }
        }
    }
    if !path.is_empty() {
        found.push(path);
    }
}

fn imports(tree: &UseTree, before: &mut Vec<String>, public: bool, found: &mut Vec<Import>) {
    let mut add = |name: Option<String>, path: Vec<String>| found.push(Import { name, path, public });
    match tree {
        UseTree::Path(path) => {
            before.push(path.ident.to_string());
            imports(&path.tree, before, public, found);
            before.pop();
        }
        UseTree::Name(name) if name.ident == "self" => add(before.last().cloned(), before.clone()),
        UseTree::Name(name) => {
            let name = name.ident.to_string();
            add(Some(name.clone()), before.iter().cloned().chain([name]).collect());
        }
        UseTree::Rename(rename) => {
            let path = before.iter().cloned().chain([rename.ident.to_string()]).collect();
            add(Some(rename.rename.to_string()), path);
        }
        UseTree::Glob(_) => add(None, before.clone()),
        UseTree::Group(group) => {
            group.items.iter().for_each(|tree| imports(tree, before, public, found));
        }
    }
}

/// Whether an item is compiled for tests only.
fn for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let mut paths = Vec::new();
        if let (true, syn::Meta::List(list)) = (attribute.path().is_ident("cfg"), &attribute.meta) {
            paths_in(&list.tokens, &mut paths);
        }
        paths.first().is_some_and(|first| *first == ["test"])
    })
}

fn attributes(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(i) => &i.attrs,
        Item::Enum(i) => &i.attrs,
        Item::Fn(i) => &i.attrs,
        Item::Impl(i) => &i.attrs,
        Item::Macro(i) => &i.attrs,
        Item::Mod(i) => &i.attrs,
        Item::Static(i) => &i.attrs,
        Item::Struct(i) => &i.attrs,
        Item::Trait(i) => &i.attrs,
        Item::Type(i) => &i.attrs,
        Item::Union(i) => &i.attrs,
        Item::Use(i) => &i.attrs,
        _ => &[],
    }
}

fn item_name(item: &Item) -> Option<String> {
    let name = match item {
        Item::Const(i) => &i.ident,
        Item::Fn(i) => &i.sig.ident,
        Item::Macro(i) => i.ident.as_ref()?,
        Item::Static(i) => &i.ident,
        _ => return named_type(item).map(|(name, _)| name),
    };
    Some(name.to_string())
}

fn named_type(item: &Item) -> Option<(String, &Visibility)> {
    let (name, visibility) = match item {
        Item::Enum(i) => (&i.ident, &i.vis),
        Item::Struct(i) => (&i.ident, &i.vis),
        Item::Trait(i) => (&i.ident, &i.vis),
        Item::Type(i) => (&i.ident, &i.vis),
        Item::Union(i) => (&i.ident, &i.vis),
        _ => return None,
    };
    Some((name.to_string(), visibility))
}

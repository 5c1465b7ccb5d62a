//! What inputs should bring about: get to changed statements, make changed conditions part ways, take the branches of
//! changed code and of what stands around it.

use std::collections::BTreeSet;

use bonafix_model::{ElementKind, Goal, GoalPurpose, LineRange, VersionRole};
use camino::Utf8Path;

use super::callgraph::ChangedCode;
use super::changes::{ChangedElement, Changes};
use super::instrumented::{ProbedClass, ProbedMethod, ProbedVersion};
use crate::arena::Atom;
use crate::classfile::{Comparison, EdgeKind, MethodFlow, MethodName, ProbeSite, SiteKind};

/// The versions that a search runs.
const SEARCHED: usize = 2;
const MAX_GOALS: usize = 3000;
/// Branches of two counterparts are paired crosswise only while they are few.
const MAX_CROSS: usize = 16;
const MAX_CONDITIONS: usize = 16;
/// A switch with more cases has no goals for them.
const MAX_CASES: usize = 64;

/// Goals, and what they consist of.
#[derive(Debug, Default)]
pub(super) struct Goals {
    pub(super) list: Vec<Goal>,
    /// By goal.
    pub(super) atoms: Vec<Vec<Atom>>,
    /// Blocks of changed code in any version.
    pub(super) reach: BTreeSet<u32>,
    pub(super) changed: ChangedCode,
}

/// Finds the goals of versions, which are given by number.
pub(super) fn goals(changes: &Changes<'_>, roles: &[VersionRole], versions: &[ProbedVersion]) -> Goals {
    let mut search = GoalSearch { changes, roles, versions, found: Goals::default(), known: BTreeSet::new() };
    for version in 0..versions.len() {
        for source in changes.sources() {
            search.changed_code(version, source);
        }
    }
    search.part();
    search.branches(GoalPurpose::Branch, true);
    search.branches(GoalPurpose::Around, false);
    search.found
}

struct GoalSearch<'a> {
    changes: &'a Changes<'a>,
    roles: &'a [VersionRole],
    versions: &'a [ProbedVersion],
    found: Goals,
    known: BTreeSet<Vec<Atom>>,
}

impl<'a> GoalSearch<'a> {
    fn add(&mut self, purpose: GoalPurpose, text: String, atoms: Vec<Atom>) {
        if self.found.list.len() < MAX_GOALS && self.known.insert(atoms.clone()) {
            self.found.list.push(Goal { purpose, text });
            self.found.atoms.push(atoms);
        }
    }

    /// Classes of a version that came from a source.
    fn classes(&self, version: usize, source: &Utf8Path) -> Vec<&'a ProbedClass> {
        let classes = self.versions[version].classes.iter();
        classes.filter(|class| self.changes.source_of(&class.name) == Some(source)).collect()
    }

    fn text(&self, version: usize, class: &str, line: Option<u32>, what: &str) -> String {
        let role = match self.roles.get(version) {
            Some(VersionRole::Reference) => "reference",
            Some(VersionRole::Patched) => "patched",
            _ => "buggy",
        };
        let file = self.changes.source_of(class).and_then(Utf8Path::file_name).unwrap_or(class);
        let line = line.map_or_else(String::new, |line| format!(":{line}"));
        format!("{role} {file}{line} {what}").trim_end().to_owned()
    }

    /// Changed statements and methods of a source.
    fn changed_code(&mut self, version: usize, source: &Utf8Path) {
        let classes = self.classes(version, source);
        for statement in self.changes.statements(version, source) {
            for class in &classes {
                for method in &class.methods {
                    self.changed_statement(version, class, method, statement);
                }
            }
        }
        for element in self.changes.elements_in(version, source) {
            self.changed_element(version, &classes, &element);
        }
    }

    fn changed_statement(
        &mut self,
        version: usize,
        class: &ProbedClass,
        method: &ProbedMethod,
        lines: LineRange,
    ) {
        let blocks = blocks_on(method, lines);
        self.found.reach.extend(blocks.iter().map(|block| block.id));
        if let (Some(first), true) = (blocks.first(), version < SEARCHED) {
            self.reach(version, class, method, first, Some(lines.first));
        }
    }

    fn reach(
        &mut self,
        version: usize,
        class: &ProbedClass,
        method: &ProbedMethod,
        block: &ProbeSite,
        line: Option<u32>,
    ) {
        let mut atoms = vec![Atom::Block(block.id)];
        atoms.extend(method.flow.iter().flat_map(|flow| conditions(method, flow, block.offset)));
        let text = self.text(version, &class.name, line, "");
        self.add(GoalPurpose::Reach, text, atoms);
    }

    fn changed_element(&mut self, version: usize, classes: &[&ProbedClass], element: &ChangedElement) {
        if element.kind == ElementKind::Field {
            self.found.changed.fields.insert((element.owner.clone(), element.member.clone()));
        }
        let mut methods = holders(element, classes);
        let has_code = !matches!(element.kind, ElementKind::Field | ElementKind::Type);
        if methods.is_empty() && element.lines.is_some() && !has_code {
            // It has no code of its own; whatever the class does may depend on it.
            let own = classes.iter().filter(|class| class.name == element.owner);
            methods.extend(own.flat_map(|class| class.methods.iter().map(|method| (*class, method))));
        }
        let reached = methods
            .iter()
            .flat_map(|(_, method)| blocks(method))
            .any(|block| self.found.reach.contains(&block.id));
        for (class, method) in methods {
            self.found.changed.methods.insert((class.name.clone(), method.name.clone()));
            // Where a version only lost something, getting into the method is all that can be asked for.
            if let (false, Some(entry)) = (reached, blocks(method).next()) {
                self.found.reach.insert(entry.id);
                if version < SEARCHED {
                    self.reach(version, class, method, entry, entry.line.map(u32::from));
                }
            }
        }
    }

    /// Conditions that two versions have in common, changed in one of them: they should come out differently.
    fn part(&mut self) {
        if self.versions.len() < SEARCHED {
            return;
        }
        for source in self.changes.sources() {
            for (ours, theirs) in self.changes.counterparts(0, 1, source) {
                for class in self.classes(0, source) {
                    let other = self.classes(1, source).into_iter().find(|other| other.name == class.name);
                    if let Some(other) = other {
                        self.part_statement(class, (ours, theirs), other);
                    }
                }
            }
        }
    }

    fn part_statement(
        &mut self,
        class: &ProbedClass,
        (ours, theirs): (LineRange, LineRange),
        other: &ProbedClass,
    ) {
        let (ours, theirs) = (branches_on(class, ours), branches_on(other, theirs));
        // Counterparts are decided equally often as long as nothing has parted; other pairs are not.
        let counterparts = ours.len() == theirs.len();
        let pairs: Vec<(&ProbeSite, &ProbeSite)> = if counterparts {
            ours.into_iter().zip(theirs).collect()
        } else if ours.len() * theirs.len() <= MAX_CROSS {
            ours.iter().flat_map(|one| theirs.iter().map(move |other| (*one, *other))).collect()
        } else {
            Vec::new()
        };
        for (one, other) in pairs {
            let line = one.line.map(u32::from);
            for (taken, missed, what) in
                [(other.id, one.id, "true, patched false"), (one.id, other.id, "false, patched true")]
            {
                let atoms = if counterparts {
                    vec![Atom::Parted { taken, missed }]
                } else {
                    vec![Atom::Missed(missed), Atom::Taken(taken)]
                };
                let text = self.text(0, &class.name, line, what);
                self.add(GoalPurpose::Part, text, atoms);
            }
        }
    }

    /// Each outcome of each branch, in changed methods or in the others.
    fn branches(&mut self, purpose: GoalPurpose, changed: bool) {
        let all = &self.versions[..self.versions.len().min(SEARCHED)];
        for (version, probed) in all.iter().enumerate() {
            for class in &probed.classes {
                for method in &class.methods {
                    let key = (class.name.clone(), method.name.clone());
                    if self.found.changed.methods.contains(&key) == changed {
                        method.sites.iter().for_each(|site| self.outcomes(purpose, version, class, site));
                    }
                }
            }
        }
    }

    fn outcomes(&mut self, purpose: GoalPurpose, version: usize, class: &ProbedClass, site: &ProbeSite) {
        let SiteKind::Branch(comparison) = &site.kind else { return };
        let outcomes: Vec<(Atom, String)> = match comparison {
            Comparison::Switch(keys) if keys.len() > MAX_CASES => Vec::new(),
            Comparison::Switch(keys) => {
                let cases = keys.iter().map(|key| (Atom::Case(site.id, *key), format!("case {key}")));
                cases.chain([(Atom::Default(site.id), "default".to_owned())]).collect()
            }
            // Compilers jump over what a condition guards.
            _ => vec![(Atom::Missed(site.id), "true".to_owned()), (Atom::Taken(site.id), "false".to_owned())],
        };
        for (atom, what) in outcomes {
            let text = self.text(version, &class.name, site.line.map(u32::from), &what);
            self.add(purpose, text, vec![atom]);
        }
    }
}

/// The methods that code of an element is in; a type has none of its own.
fn holders<'a>(
    element: &ChangedElement,
    classes: &[&'a ProbedClass],
) -> Vec<(&'a ProbedClass, &'a ProbedMethod)> {
    let Some(lines) = element.lines.filter(|_| element.kind != ElementKind::Type) else { return Vec::new() };
    let mut methods = Vec::new();
    for class in classes {
        for method in &class.methods {
            let touched = method.lines.iter().any(|(_, line)| (lines.first..=lines.last).contains(line));
            if touched && may_hold(element, class, method) {
                methods.push((*class, method));
            }
        }
    }
    methods
}

/// The methods with changed code in any version, by internal name of the class. Only where there are none do those count
/// that may depend on what has no code, such as a field: whoever adds a field to a class has not changed all of it.
pub(super) fn changed_methods(
    changes: &Changes<'_>,
    roles: &[VersionRole],
    versions: &[ProbedVersion],
) -> BTreeSet<(String, MethodName)> {
    let search = GoalSearch { changes, roles, versions, found: Goals::default(), known: BTreeSet::new() };
    let mut found = BTreeSet::new();
    for version in 0..versions.len() {
        for source in changes.sources() {
            let classes = search.classes(version, source);
            for element in changes.elements_in(version, source) {
                let holders = holders(&element, &classes).into_iter();
                found.extend(holders.map(|(class, method)| (class.name.clone(), method.name.clone())));
            }
        }
    }
    if found.is_empty() { goals(changes, roles, versions).changed.methods } else { found }
}

/// Can code of an element be in this method? Several elements may share a line.
fn may_hold(element: &ChangedElement, class: &ProbedClass, method: &ProbedMethod) -> bool {
    let name = method.name.name.as_str();
    if class.name != element.owner || name.starts_with("lambda$") {
        return true;
    }
    match element.kind {
        ElementKind::Method | ElementKind::Constructor => name == element.member,
        ElementKind::Initialiser | ElementKind::Field => name.starts_with('<'),
        ElementKind::Type | ElementKind::File => true,
    }
}

fn blocks(method: &ProbedMethod) -> impl Iterator<Item = &ProbeSite> {
    method.sites.iter().filter(|site| site.kind == SiteKind::Block)
}

/// Blocks of a method that have code of these lines.
fn blocks_on(method: &ProbedMethod, lines: LineRange) -> Vec<&ProbeSite> {
    let sites: Vec<&ProbeSite> = blocks(method).collect();
    let mut found: Vec<&ProbeSite> = Vec::new();
    for (offset, line) in &method.lines {
        if (lines.first..=lines.last).contains(line) {
            let behind = sites.partition_point(|site| site.offset <= *offset);
            found.extend(behind.checked_sub(1).map(|at| sites[at]));
        }
    }
    // A condition may go on in blocks that begin in the middle of a line.
    found.extend(
        sites.iter().filter(|site| {
            site.line.is_some_and(|line| (lines.first..=lines.last).contains(&u32::from(line)))
        }),
    );
    found.sort_by_key(|site| site.offset);
    found.dedup_by_key(|site| site.id);
    found
}

/// Two-way branches of a class on these lines, in the order of the code.
fn branches_on(class: &ProbedClass, lines: LineRange) -> Vec<&ProbeSite> {
    let sites = class.methods.iter().flat_map(|method| &method.sites);
    sites
        .filter(|site| matches!(&site.kind, SiteKind::Branch(comparison) if !matches!(comparison, Comparison::Switch(_))))
        .filter(|site| site.line.is_some_and(|line| (lines.first..=lines.last).contains(&u32::from(line))))
        .collect()
}

/// Outcomes of branches without which a block cannot be come to, apart from exceptions and another turn of a loop.
fn conditions(method: &ProbedMethod, flow: &MethodFlow, offset: usize) -> Vec<Atom> {
    let Some(target) = flow.blocks.iter().position(|block| block.start == offset) else { return Vec::new() };
    let forward = |kind: EdgeKind, is_back: bool| kind != EdgeKind::Exception && !is_back;
    let mut leads = vec![false; flow.blocks.len()];
    leads[target] = true;
    let mut open = vec![target];
    while let Some(to) = open.pop() {
        for edge in flow.edges.iter().filter(|edge| edge.to == to && forward(edge.kind, edge.is_back)) {
            if !std::mem::replace(&mut leads[edge.from], true) {
                open.push(edge.from);
            }
        }
    }
    let mut atoms = Vec::new();
    for (number, block) in flow.blocks.iter().enumerate() {
        let site = method.sites.iter().rfind(|site| {
            matches!(site.kind, SiteKind::Branch(_)) && (block.start..block.end).contains(&site.offset)
        });
        let Some(site) = site.filter(|_| leads[number] && number != target) else { continue };
        let ways: Vec<_> = flow.edges.iter().filter(|edge| edge.from == number).collect();
        let good: Vec<_> =
            ways.iter().filter(|edge| forward(edge.kind, edge.is_back) && leads[edge.to]).collect();
        let ordinary = ways.iter().filter(|edge| edge.kind != EdgeKind::Exception).count();
        if let ([way], true) = (good.as_slice(), ordinary > 1) {
            atoms.extend(match way.kind {
                EdgeKind::Jump => Some(Atom::Taken(site.id)),
                EdgeKind::Next => Some(Atom::Missed(site.id)),
                EdgeKind::Case(key) => Some(Atom::Case(site.id, key)),
                EdgeKind::Default => Some(Atom::Default(site.id)),
                EdgeKind::Exception => None,
            });
        }
    }
    atoms.truncate(MAX_CONDITIONS);
    atoms
}

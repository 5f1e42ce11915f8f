//! Things by small numbers, of which the lowest that is free is taken next.

/// What stands at each number, in a vector that ends with the last that is taken: two with the same things are equal.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Slots<T>(Vec<Option<T>>);

impl<T> Default for Slots<T> {
    fn default() -> Self {
        Slots(Vec::new())
    }
}

impl<T> Slots<T> {
    /// The lowest number at which nothing stands.
    pub fn lowest_free(&self) -> u32 {
        let free = self.0.iter().position(Option::is_none);
        u32::try_from(free.unwrap_or(self.0.len())).expect("fewer than 2^32 things are under way at a time")
    }

    /// Puts something at the lowest number that is free.
    pub fn insert(&mut self, thing: T) -> u32 {
        let number = self.lowest_free();
        match self.0.get_mut(number as usize) {
            Some(free) => *free = Some(thing),
            None => self.0.push(Some(thing)),
        }
        number
    }

    pub fn get(&self, number: u32) -> Option<&T> {
        self.0.get(number as usize)?.as_ref()
    }

    pub fn get_mut(&mut self, number: u32) -> Option<&mut T> {
        self.0.get_mut(number as usize)?.as_mut()
    }

    /// Drops what stands at a number, where it stands.
    pub fn remove(&mut self, number: u32) {
        if let Some(slot) = self.0.get_mut(number as usize) {
            *slot = None;
            self.trim();
        }
    }

    /// Takes out what does not pass.
    pub fn retain(&mut self, passes: impl Fn(&T) -> bool) {
        for slot in &mut self.0 {
            if slot.as_ref().is_some_and(|thing| !passes(thing)) {
                *slot = None;
            }
        }
        self.trim();
    }

    pub fn clear(&mut self) {
        self.0.clear();
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What there is, by number.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        let numbered = (0..).zip(&self.0);
        numbered.filter_map(|(number, slot)| Some((number, slot.as_ref()?)))
    }

    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.0.iter_mut().flatten()
    }

    fn trim(&mut self) {
        let free = self.0.iter().rev().take_while(|slot| slot.is_none()).count();
        self.0.truncate(self.0.len() - free);
    }
}

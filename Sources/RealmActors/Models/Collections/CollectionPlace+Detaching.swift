extension CollectionPlace {
    /// A form of an element that stays valid after its removal: a list or dictionary within a value
    /// of a managed object becomes empty once it is removed.
    func detached<Element>(_ element: Element) -> Element {
        unmanaged == nil || nested != nil ? unmanagedCopy(of: element) : element
    }
}

// Elements that are removed from a collection while the program holds them.

extension CollectionPlace {
    /// An element that is about to be removed, in the form that it keeps afterwards: a list or
    /// dictionary within a value of a managed object is empty once it is removed from that object.
    func leaving<Element>(_ element: Element) -> Element {
        unmanaged == nil || nested != nil ? unmanagedCopy(of: element) : element
    }
}

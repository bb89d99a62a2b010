// What leaves a collection while somebody holds it.

extension CollectionPlace {
    /// An element that is about to leave the collection, as it stays then: a list or dictionary
    /// within a value of a managed object has nothing in it once it has left that object.
    func leaving<Element>(_ element: Element) -> Element {
        unmanaged == nil || nested != nil ? unmanagedCopy(of: element) : element
    }
}

/// An element of a node that has refs.
enum RealmElement: Hashable, Sendable {
    case none
    /// The offset of a node, not checked yet.
    case ref(UInt64)
    case tagged(UInt64)

    init(_ value: Int64) {
        let bits = UInt64(bitPattern: value)
        if bits == 0 {
            self = .none
        } else {
            self = bits & 1 == 0 ? .ref(bits) : .tagged(bits >> 1)
        }
    }
}

extension RealmNode {
    /// The element at an index of a node that has refs; absent after the last one.
    func element(at index: Int) -> RealmElement {
        index < count ? RealmElement(integer(at: index)) : .none
    }
}

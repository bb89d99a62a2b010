/// The position of an object in sectioned results: its section, and its position there.
public struct SectionPath: Sendable, Hashable, Comparable {
    /// The position of the section.
    public var section: Int
    /// The position in the section.
    public var item: Int

    /// A place in a section.
    public init(section: Int, item: Int) {
        self.section = section
        self.item = item
    }

    /// Compares the sections, then the positions in them.
    public static func < (a: SectionPath, b: SectionPath) -> Bool {
        (a.section, a.item) < (b.section, b.item)
    }
}

extension SectionPath: CustomStringConvertible {
    /// The two positions: `2.0`.
    public var description: String { "\(section).\(item)" }
}

/// What opening has to write before the realm can be used: without disk space for it, the realm
/// cannot be made smaller either.
enum OpeningNeed {
    /// The schema of the models.
    case schema
    /// What the shared log has, and this host lacks.
    case sharedLog

    /// What the opening of the realm at `path` throws when there is no space for it.
    func error(at path: String?) -> RealmError {
        let reason =
            switch self {
            case .schema:
                "its schema has to be changed to that of the models, which takes space. Free some "
                    + "and open it again. Or make it smaller first: open it with the models that "
                    + "it has had, or by usesStoredSchema, delete objects, and call compact()."
            case .sharedLog:
                "its folder has to be brought up to what the shared log has first. Free some space "
                    + "and open it again, which goes on from what the folder has by then."
            }
        return .noSpaceToOpen(path: path ?? "", reason: reason)
    }
}

extension QueryRow {
    init(_ object: ObjectBase) {
        storeID = object.__context?.models.storeID
        key = object.__key
    }
}

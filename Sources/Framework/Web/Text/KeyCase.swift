/// `assigned_to` → `assignedTo`.
package func camelCased(_ name: String) -> String {
    let words = name.split(separator: "_")
    guard let first = words.first else { return name }
    return words.dropFirst().reduce(String(first)) { $0 + $1.prefix(1).uppercased() + $1.dropFirst() }
}

/// `assignedTo` → `assigned_to`.
package func snakeCased(_ name: String) -> String {
    name.reduce(into: "") { text, character in
        if character.isUppercase {
            text += "_" + character.lowercased()
        } else {
            text.append(character)
        }
    }
}

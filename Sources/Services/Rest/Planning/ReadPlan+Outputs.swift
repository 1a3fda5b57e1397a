import SwiftletPostgres
/// The columns that a plan gives, with those that it takes from relations which are spread into it.
extension ReadPlan {
    struct Output {
        /// In the answer.
        let name: String
        let source: Source
        var aggregate: Aggregate?
        var aggregateCast: String?
        /// JSON has no equality, its binary form has: rows are grouped by that.
        var isJSON = false

        enum Source {
            /// `*` of rows whose columns are not looked at.
            case everything
            case column(ColumnSelection)
            /// The object or array of an embedded relation.
            case value(Int)
            /// The column of a relation that is spread, by its number there.
            case spread(Int, Int)
        }
    }

    /// `expanded`: with each column by its name instead of `*`.
    func outputs(expanded: Bool) -> [Output] {
        var outputs: [Output] = []
        for item in items {
            switch item {
            case .all:
                if expanded, let relation {
                    outputs += relation.columns.map { output(ColumnSelection(field: FieldPath(name: $0.name))) }
                } else {
                    outputs.append(Output(name: "*", source: .everything))
                }
            case .column(let column): outputs.append(output(column))
            case .embed(let index): outputs += self.outputs(ofEmbed: index)
            }
        }
        return outputs
    }

    private func output(_ column: ColumnSelection) -> Output {
        var output = Output(name: column.name, source: .column(column))
        output.aggregate = column.aggregate
        output.aggregateCast = column.aggregateCast
        if let field = column.field, column.cast == nil, relation?.column(field.name)?.type.base == "json" {
            output.isJSON = field.steps.last?.givesText != true
        }
        if column.cast == nil, representation(of: column) != nil { output.isJSON = true }
        return output
    }

    /// The function that makes JSON of a column as it is selected. As in PostgREST a cast to text is one of that JSON;
    /// to other types JSON has none, and the value itself is cast.
    func representation(of column: ColumnSelection) -> String? {
        guard column.aggregate == nil, column.cast.map({ Self.textTypes.contains($0.lowercased()) }) ?? true,
            let field = column.field, field.steps.isEmpty
        else { return nil }
        return relation?.column(field.name)?.representation.toJSON
    }

    private static let textTypes: Set = ["text", "varchar", "character varying", "json", "jsonb"]

    private func outputs(ofEmbed index: Int) -> [Output] {
        let embed = embeds[index]
        // Without items it is only there to be filtered by. A row without columns is still a row.
        if embed.isHidden { return [] }
        guard embed.isSpread else { return [Output(name: embed.name, source: .value(index), isJSON: true)] }
        return embed.plan.outputs(expanded: true).enumerated().map { number, inner in
            var output = Output(name: inner.name, source: .spread(index, number))
            guard embed.isFlat else {
                output.isJSON = true
                return output
            }
            // An aggregate is made where the rows are those of the answer.
            output.aggregate = inner.aggregate
            output.aggregateCast = inner.aggregateCast
            output.isJSON = inner.isJSON
            return output
        }
    }

    /// Rows are made one of several.
    var isGrouped: Bool { outputs(expanded: false).contains { $0.aggregate != nil } }

    /// The number of what is selected under this name, or of the column itself.
    func number(ofOutput field: FieldPath) -> Int? {
        guard field.steps.isEmpty else { return nil }
        let outputs = outputs(expanded: true)
        let plain = outputs.firstIndex { output in
            guard case .column(let column) = output.source, output.aggregate == nil else { return false }
            return column.field == field && column.cast == nil
        }
        if let plain { return plain }
        guard relation?.column(field.name) == nil else { return nil }
        return outputs.firstIndex { $0.name == field.name && $0.aggregate == nil }
    }

    /// What the rows are ordered by of an embedded relation and is not spread from it.
    func orders(by embed: Embed) -> [OrderTerm] {
        restriction.order.filter { term in
            term.relation == embed.name && !(embed.isFlat && embed.plan.number(ofOutput: term.field) != nil)
        }
    }
}

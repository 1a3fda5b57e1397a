package main

import (
	"bytes"
	"encoding/json"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgproto3/v2"
	"github.com/jackc/pgtype"
)

const stampLayout = "2006-01-02T15:04:05Z"

// One row as a JSON object: cells in PostgreSQL's text form, written by the type of their column.
func appendRow(body []byte, fields []pgproto3.FieldDescription, cells [][]byte) []byte {
	for index := range fields {
		if index == 0 {
			body = append(body, '{', '"')
		} else {
			body = append(body, ',', '"')
		}
		body = append(body, fields[index].Name...)
		body = append(body, '"', ':')
		body = appendCell(body, fields[index].DataTypeOID, cells[index])
	}
	return append(body, '}')
}

func appendCell(body []byte, oid uint32, cell []byte) []byte {
	if cell == nil {
		return append(body, "null"...)
	}
	switch oid {
	case pgtype.BoolOID:
		if cell[0] == 't' {
			return append(body, "true"...)
		}
		return append(body, "false"...)
	case pgtype.Int2OID, pgtype.Int4OID, pgtype.Int8OID, pgtype.NumericOID, pgtype.Float8OID:
		return append(body, cell...)
	case pgtype.JSONOID, pgtype.JSONBOID:
		return append(body, cell...)
	case pgtype.TimestampOID, pgtype.TimestamptzOID:
		return appendTimestamp(body, cell)
	case pgtype.TextArrayOID, pgtype.VarcharArrayOID:
		return appendArray(body, cell)
	default:
		return appendText(body, cell)
	}
}

// "2026-01-15 10:30:00.123456" becomes "2026-01-15T10:30:00Z"; the session runs in UTC.
func appendTimestamp(body, cell []byte) []byte {
	if len(cell) < 19 || cell[10] != ' ' {
		return appendString(body, cell)
	}
	body = append(append(body, '"'), cell[:19]...)
	body[len(body)-9] = 'T'
	return append(body, 'Z', '"')
}

func appendArray(body, cell []byte) []byte {
	var array pgtype.TextArray
	if err := array.DecodeText(nil, cell); err != nil {
		return append(body, "null"...)
	}
	body = append(body, '[')
	for index, element := range array.Elements {
		if index > 0 {
			body = append(body, ',')
		}
		body = appendText(body, []byte(element.String))
	}
	return append(body, ']')
}

// A text that in full is a stamp is normalised like a timestamp; nearly all texts fail the first test.
func appendText(body, text []byte) []byte {
	if len(text) >= 19 && text[4] == '-' && text[10] == 'T' {
		for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05"} {
			if stamp, err := time.Parse(layout, string(text)); err == nil {
				body = append(body, '"')
				return append(stamp.UTC().AppendFormat(body, stampLayout), '"')
			}
		}
	}
	return appendString(body, text)
}

// Clean runs are copied whole; anything else goes through encoding/json, as JSON.stringify would write it.
func appendString(body, text []byte) []byte {
	isClean := true
	for _, character := range text {
		if character < 0x20 || character == '"' || character == '\\' {
			isClean = false
			break
		}
	}
	if isClean && utf8.Valid(text) {
		return append(append(append(body, '"'), text...), '"')
	}
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	encoder.Encode(string(text))
	return append(body, bytes.TrimRight(buffer.Bytes(), "\n")...)
}

// Cuts the health answer around the value of "timestamp".
func splitAtTimestamp(answer []byte) (before, after []byte) {
	marker := []byte(`"timestamp":"`)
	start := bytes.Index(answer, marker) + len(marker)
	end := start + bytes.IndexByte(answer[start:], '"')
	return answer[:start], answer[end:]
}

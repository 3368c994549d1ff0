package platform

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
)

// PutJSON is like Put, for a value that is stored as JSON. What a newer version has added to the document since stays in it:
// attributes of the row, and fields of JSON objects that the type of v and of its structs does not have. Elements of lists
// and maps are replaced. It reads the document first, unless version is 0.
func (s *Store) PutJSON(ctx context.Context, partition, name string, version int64, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("put %s %s: %w", partition, name, err)
	}
	if version == 0 {
		return s.Put(ctx, partition, Document{Name: name, Body: string(body)})
	}
	stored, row, err := s.get(ctx, partition, name)
	if err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	if stored.Version != version {
		return fmt.Errorf("put %s %s, version %d: %w", partition, name, version, ErrChanged)
	}
	if body, err = keep([]byte(stored.Body), body, reflect.TypeOf(v)); err != nil {
		return fmt.Errorf("put %s %s: %w", partition, name, err)
	}
	return s.put(ctx, partition, Document{Name: name, Version: version, Body: string(body), Expires: stored.Expires}, row)
}

// keep adds the fields of a stored JSON object that a type does not have to its next value. It returns a value that is not
// a struct unchanged.
func keep(stored, next []byte, of reflect.Type) ([]byte, error) {
	for of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	if of.Kind() != reflect.Struct || reflect.PointerTo(of).Implements(reflect.TypeFor[json.Marshaler]()) {
		return next, nil
	}
	var before, after map[string]json.RawMessage
	if json.Unmarshal(stored, &before) != nil || json.Unmarshal(next, &after) != nil || after == nil {
		return next, nil // one of them is null
	}
	known, changed := fields(of), false
	for name, value := range before {
		field, there := known[name]
		switch now, written := after[name]; {
		case !there:
			after[name], changed = value, true
		case written:
			kept, err := keep(value, now, field)
			if err != nil {
				return nil, err
			}
			changed = changed || len(kept) != len(now)
			after[name] = kept
		}
	}
	if !changed {
		return next, nil // in the order of the fields
	}
	return json.Marshal(after)
}

// fields returns the types of the fields of a struct by their names in JSON.
func fields(of reflect.Type) map[string]reflect.Type {
	all := map[string]reflect.Type{}
	for _, field := range reflect.VisibleFields(of) {
		tag, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case field.Anonymous && tag == "", !field.IsExported(), tag == "-":
		case tag == "":
			all[field.Name] = field.Type
		default:
			all[tag] = field.Type
		}
	}
	return all
}

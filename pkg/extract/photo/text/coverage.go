package text

import (
	"reflect"

	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/font/opentype/tables"
)

// listCoverages replaces the coverages of the layout tables that are lists of ranges by lists of glyphs. The shaper of
// go-text 0.3.5 has a filter for ranges that ignores those after its first part is full, and then leaves out substitutions:
// an Arabic yeh in the middle of a word keeps the form of a letter alone.
func listCoverages(f *font.Font) {
	for i := range f.GSUB.Lookups {
		list(reflect.ValueOf(f.GSUB.Lookups[i].Subtables))
	}
	for i := range f.GPOS.Lookups {
		list(reflect.ValueOf(f.GPOS.Lookups[i].Subtables))
	}
}

// list replaces the coverages in the elements of a slice, and in the fields of a struct that can be set.
func list(v reflect.Value) {
	switch v.Kind() {
	case reflect.Slice:
		for i := range v.Len() {
			list(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				list(v.Field(i))
			}
		}
	case reflect.Interface:
		if v.IsNil() || !v.CanSet() {
			return
		}
		if ranges, ok := v.Interface().(tables.Coverage2); ok {
			v.Set(reflect.ValueOf(glyphs(ranges)))
			return
		}
		changed := reflect.New(v.Elem().Type()).Elem()
		changed.Set(v.Elem())
		list(changed)
		v.Set(changed)
	}
}

func glyphs(ranges tables.Coverage2) (all tables.Coverage1) {
	for _, r := range ranges.Ranges {
		for g := int(r.StartGlyphID); g <= int(r.EndGlyphID); g++ {
			all.Glyphs = append(all.Glyphs, tables.GlyphID(g))
		}
	}
	return all
}

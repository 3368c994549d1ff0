package records

import "context"

// headRead is the size of the first read of a columns object: the header, and often the needed
// columns.
const headRead = 64 << 10

// openChunk contains the header of a chunk's columns and the first bytes of the columns object.
type openChunk struct {
	file   *File
	name   string
	header *chunkHeader
	data   []byte
	start  int64 // offset of the first column
}

func (f *File) open(ctx context.Context, chunk int) (*openChunk, error) {
	o := &openChunk{file: f, name: ColumnsName(chunk)}
	var err error
	if o.data, err = f.Get(ctx, o.name, 0, headRead); err != nil {
		return nil, err
	}
	if o.start, err = headerSize(o.data); err != nil {
		return nil, err
	}
	if rest := o.start - int64(len(o.data)); rest > 0 {
		more, err := f.Get(ctx, o.name, int64(len(o.data)), rest)
		if err != nil {
			return nil, err
		}
		if o.data = append(o.data, more...); int64(len(o.data)) < o.start {
			return nil, damaged("header", nil)
		}
	}
	o.header, err = parseHeader(o.data[:o.start])
	return o, err
}

// values returns the values of a column, or nil if no record of the chunk has one.
func (o *openChunk) values(ctx context.Context, key columnKey) ([]string, error) {
	i := o.place(key)
	if i < 0 {
		return nil, nil
	}
	p := o.header.Parts[i]
	from, to := o.start+p.Offset, o.start+p.Offset+p.Length
	if p.Offset < 0 || p.Length < 0 || p.Length > 2*maxColumns {
		return nil, damaged("column", nil)
	}
	if to <= int64(len(o.data)) {
		return readColumn(o.data[from:to], o.header.Count)
	}
	compressed, err := o.file.Get(ctx, o.name, from, p.Length)
	if err != nil {
		return nil, err
	}
	return readColumn(compressed, o.header.Count)
}

// column returns the values of a column, one for each record of the chunk, or nil if no record has one.
func (o *openChunk) column(ctx context.Context, key columnKey) ([]string, error) {
	if !o.cut(key) {
		return o.values(ctx, key)
	}
	values := make([]string, 0, o.header.Count)
	for r, err := range o.file.Chunk(ctx, o.header.Chunk) {
		if err != nil {
			return nil, err
		}
		values = append(values, r.value(key))
	}
	if len(values) != o.header.Count {
		return nil, damaged("lines", nil)
	}
	return values, nil
}

// cut reports whether a column is truncated.
func (o *openChunk) cut(key columnKey) bool {
	i := o.place(key)
	return i >= 0 && o.header.Parts[i].Cut
}

func (o *openChunk) place(key columnKey) int {
	switch key {
	case nameKey:
		return namePart
	case errorKey:
		return errorPart
	}
	for i := range o.header.Summary.Columns {
		if s := &o.header.Summary.Columns[i]; s.Name == key.name && s.Property == key.property {
			return firstColumn + i
		}
	}
	return -1
}

// project removes the parts of a record that a query does not request.
func (r *Record) project(columns []Column, content bool) {
	if !content {
		r.Content = ""
	}
	if columns == nil {
		return
	}
	keep := make(map[columnKey]bool, len(columns))
	for _, c := range columns {
		keep[columnKey{c.Name, c.Property}] = true
	}
	fields, properties := Fields{}, Properties{}
	for _, field := range r.Fields {
		if keep[columnKey{field.Name, false}] {
			fields = append(fields, field)
		}
	}
	for _, p := range r.Properties {
		if keep[columnKey{p.Name, true}] {
			properties = append(properties, p)
		}
	}
	r.Fields, r.Properties = fields, properties
}

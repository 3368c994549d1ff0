package attr

// Reader reads the JSON of a request from front to end, once. It is for requests
// whose members the caller knows: what is not valid JSON, has a value of another
// shape, or is a null where the caller reads a text, is an error that says no more.
type Reader struct{ scanner scanner }

// NewReader returns a reader of the request.
func NewReader(request []byte) *Reader {
	r := &Reader{newScanner(request)}
	r.scanner.strict = true
	return r
}

// Object calls member with each name; member must read its value.
func (r *Reader) Object(member func(name string) error) error { return r.scanner.object(member) }

// Array calls element before each element, which it must read.
func (r *Reader) Array(element func() error) error { return r.scanner.array(element) }

// Text reads a string.
func (r *Reader) Text() (string, error) { return r.scanner.string() }

// Item reads what Item.UnmarshalJSON does, except a null.
func (r *Reader) Item() (Item, error) { return r.scanner.item(1) }

// Ended reports whether all has been read.
func (r *Reader) Ended() bool { return r.scanner.peek() == 0 && r.scanner.pos == len(r.scanner.data) }

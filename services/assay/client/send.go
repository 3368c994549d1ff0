package client

import "context"

// Areas between which items are sent.
const (
	TextFileArea = "textfile"
	PhotoArea    = "photojob"
	LibraryArea  = "library"
)

// Sending describes an item to create with the content of another one.
type Sending struct {
	To       string `json:"to"`                 // area of the new item
	Content  string `json:"content,omitempty"`  // OriginalContent, the default, or ResultContent
	Link     string `json:"link,omitempty"`     // token of a share link to a file of the library
	Name     string `json:"name,omitempty"`     // empty means the name of the content
	ParentID string `json:"parentId,omitempty"` // folder of the library; empty means the root
	Prompt   string `json:"prompt,omitempty"`   // how to edit a photo; empty means enhance
	// Options are PhotoOptions for PhotoArea, or ReadOptions for LibraryArea.
	Options any    `json:"options,omitempty"`
	Key     string `json:"-"` // see Reservation
}

// Contents of an item.
const (
	OriginalContent = "original"
	ResultContent   = "result" // the edited photo
)

// SentItem identifies an item that was created.
type SentItem struct {
	Area string `json:"area"`
	ID   string `json:"id"`
	URL  string `json:"url"` // path of the call that reads it
}

// Send creates an item with the content of an item of an area. The server copies the content.
func (c *Client) Send(ctx context.Context, area, id string, s Sending) (SentItem, error) {
	var sent SentItem
	err := c.do(ctx, reservation("items/"+area+"/"+id+"/send", s.Key, s), &sent)
	return sent, err
}

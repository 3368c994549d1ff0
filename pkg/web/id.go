package web

import (
	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
)

// IDParam is the path parameter id of a typed operation, a UUID in any spelling of RFC 9562 or RFC 4122. Embed it in
// the input. ID has the canonical spelling, under which items are stored; with another spelling, a delete would report
// a missing item.
type IDParam struct {
	ID string `path:"id" format:"uuid"`
}

// Resolve is called by huma after it has read the request.
func (p *IDParam) Resolve(huma.Context) []error {
	if id, err := uuid.Parse(p.ID); err == nil { // otherwise huma reports the format
		p.ID = id.String()
	}
	return nil
}

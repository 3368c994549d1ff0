package web

import (
	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"
)

// IDParam is the path parameter id of a typed operation, a UUID in any spelling that RFC 9562 or its
// forerunner knows: embed it in the input, and ID is the one spelling under which items are stored.
// Another would name no item, and a delete would be told that it is gone.
type IDParam struct {
	ID string `path:"id" format:"uuid"`
}

// Resolve is called by huma once the request is read.
func (p *IDParam) Resolve(huma.Context) []error {
	if id, err := uuid.Parse(p.ID); err == nil { // else the format is told to be wrong
		p.ID = id.String()
	}
	return nil
}

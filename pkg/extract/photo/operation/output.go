package operation

// MaxOutputs is the maximum number of further results of an edit.
const MaxOutputs = 8

// Output is a further result of an edit: the edited photo, shrunk to a maximum size and in a format. It is not enlarged.
type Output struct {
	Format  string `dynamodbav:"format,omitempty" json:"format,omitempty" enum:"jpeg,png,webp,gif,avif" doc:"default: the format of the main result"`
	Quality int    `dynamodbav:"quality,omitempty" json:"quality,omitempty" minimum:"1" maximum:"100" doc:"for lossy formats; default: that of the format"`
	Width   int    `dynamodbav:"width,omitempty" json:"width,omitempty" minimum:"1" maximum:"20000" doc:"the maximum in pixels; default: no limit"`
	Height  int    `dynamodbav:"height,omitempty" json:"height,omitempty" minimum:"1" maximum:"20000" doc:"the maximum in pixels; default: no limit"`
}

// Check returns the violations in an output.
func (o Output) Check() []Violation {
	var c check
	member(&c, "format", o.Format, Formats())
	c.between("quality", o.Quality, 1, 100)
	c.between("width", o.Width, 1, maxSide)
	c.between("height", o.Height, 1, maxSide)
	return c.found
}

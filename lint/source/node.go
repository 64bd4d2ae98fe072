package source

// Kind is what a node is.
type Kind uint8

// The kinds of nodes. What the linter tells nothing apart by is [Other].
const (
	Other    Kind = iota
	Ident         // a use of a name, or its declaration in a pattern: Name, Binding
	String        // a string, or a template without substitutions: Text
	Template      // a template: Kids are its expressions
	Literal       // a number, true, null, a regular expression: Name is its text
	Member        // X.Name, or X['Name']; Kids[0] is X
	Index         // X[Y]; Kids are X and Y
	Call          // Kids[0] is what is called, the others are arguments
	New           // as Call
	Unary         // Name is the operator; Kids[0]
	Binary        // Name is the operator; Kids are both sides. Assignments are binary
	Cond          // Kids are the condition and both values
	Spread        // ...Kids[0]
	Func          // Fn says more; Kids are the parameters (patterns) and then one Block
	Class         // Kids are what it extends, and its members
	Property      // Name is the key, empty for computed ones; the last of Kids is the value
	Object        // Kids are Property and Spread
	Array         // Kids are elements
	Group         // (Kids[0])
	Pattern       // a destructuring pattern; Kids are Property, Ident and Pattern
	Declare       // one declarator: Kids are the pattern, and the value if there is one. Name is const, let or var
	Block         // Kids are statements
	Return        // Kids[0] if there is a value
	Exported      // a declaration that is exported: Kids are what it declares
)

// Node is a part of a file.
type Node struct {
	Kind Kind
	// Name is as the kinds say.
	Name string
	// Text is the value of a String.
	Text string
	// Binding is what an Ident means.
	Binding *Binding
	// Fn is set for a Function.
	Fn *Function
	// Offset is where the node begins in the code without types, or -1.
	Offset int
	Parent *Node
	Kids   []*Node
}

// Function is what a node of kind Func has besides.
type Function struct {
	Async, Arrow, Method bool
	// Name is what the function is declared as.
	Name string
	// Params are the patterns of the parameters, with Default around those that have one.
	Params []*Node
	Body   *Node
}

// Binding is what a name means: one declaration, or one global.
type Binding struct {
	Name string
	// Global says that the file does not declare the name.
	Global bool
	// Imported is the specifier of the module that the name comes from, and ImportedAs its name there: "default", "*" or the
	// name of an export.
	Imported, ImportedAs string
	// Init is the value that a declaration gives to the name, where it is a name and no pattern. Const says that it stays.
	Init  *Node
	Const bool
	// Decl is the declaring Ident, where there is one.
	Decl *Node
}

// Walk calls visit for n and for all below it, in the order of the source; not for what is below a node for which visit
// returns false.
func (n *Node) Walk(visit func(*Node) bool) {
	if n == nil || !visit(n) {
		return
	}
	for _, kid := range n.Kids {
		kid.Walk(visit)
	}
}

// Function is the innermost function around n, or nil at the top level. Parameters are in their function.
func (n *Node) Function() *Node {
	for at := n.Parent; at != nil; at = at.Parent {
		if at.Kind == Func {
			return at
		}
	}
	return nil
}

// Args are the arguments of a Call or New.
func (n *Node) Args() []*Node {
	if n.Kind != Call && n.Kind != New || len(n.Kids) == 0 {
		return nil
	}
	return n.Kids[1:]
}

// Callee is what a Call or New calls, or nil.
func (n *Node) Callee() *Node {
	if n.Kind != Call && n.Kind != New || len(n.Kids) == 0 {
		return nil
	}
	return n.Kids[0].Bare()
}

// Bare is n without parentheses, await, and assignments to what it is.
func (n *Node) Bare() *Node {
	for n != nil && (n.Kind == Group || n.Kind == Unary && n.Name == "await") && len(n.Kids) > 0 {
		n = n.Kids[0]
	}
	return n
}

// Path is a chain of names such as "ctx.state.items", with the binding that it begins with. Empty for anything else.
func (n *Node) Path() (string, *Binding) {
	n = n.Bare()
	switch {
	case n == nil:
	case n.Kind == Ident:
		return n.Name, n.Binding
	case n.Kind == Member:
		if before, binding := n.Kids[0].Path(); before != "" {
			return before + "." + n.Name, binding
		}
	case n.Kind == Literal && n.Name == "this":
		return "this", nil
	}
	return "", nil
}

// Constant is the string that an expression is: a literal, or the name of a constant that is one. node is the literal.
func (n *Node) Constant() (text string, ok bool) {
	const most = 16
	for range most {
		n = n.Bare()
		switch {
		case n == nil:
			return "", false
		case n.Kind == String:
			return n.Text, true
		case n.Kind == Ident && n.Binding != nil && n.Binding.Const && n.Binding.Init != nil:
			n = n.Binding.Init
		default:
			return "", false
		}
	}
	return "", false
}

// Value is what an expression is when names of constants are followed: n itself where nothing is known.
func (n *Node) Value() *Node {
	const most = 16
	for range most {
		bare := n.Bare()
		if bare == nil || bare.Kind != Ident || bare.Binding == nil || bare.Binding.Init == nil || !bare.Binding.Const {
			return bare
		}
		n = bare.Binding.Init
	}
	return n
}

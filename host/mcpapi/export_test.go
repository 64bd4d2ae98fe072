package mcpapi

// DropIdle is what a ticker does in a server that runs.
func (s *Server) DropIdle() { s.dropIdle() }

/* A shared object that is no plugin: it has no entry symbol. */
int something_else(void);
int something_else(void) { return 1; }

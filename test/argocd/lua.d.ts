/** As much of fengari, which has no types, as a test of a few lines of Lua uses. */
declare module 'fengari' {
  /** A running Lua. */
  interface LuaState {
    readonly '': unique symbol;
  }
  const lua: {
    lua_pushnil(state: LuaState): void;
    lua_pushstring(state: LuaState, text: Uint8Array): void;
    lua_pushinteger(state: LuaState, value: number): void;
    lua_createtable(state: LuaState, items: number, keys: number): void;
    lua_setfield(state: LuaState, index: number, key: Uint8Array): void;
    lua_seti(state: LuaState, index: number, key: number): void;
    lua_setglobal(state: LuaState, name: Uint8Array): void;
    lua_getfield(state: LuaState, index: number, key: Uint8Array): number;
    lua_tojsstring(state: LuaState, index: number): string;
    lua_pop(state: LuaState, count: number): void;
  };
  const lauxlib: {
    luaL_newstate(): LuaState;
    luaL_requiref(state: LuaState, name: Uint8Array, open: unknown, global: 0 | 1): void;
    /** 0 when the code ran; otherwise its error is on the stack. */
    luaL_dostring(state: LuaState, code: Uint8Array): number | boolean;
  };
  const lualib: { readonly luaopen_base: unknown };
  function to_luastring(text: string): Uint8Array;
  export { lauxlib, lua, lualib, type LuaState, to_luastring };
}
